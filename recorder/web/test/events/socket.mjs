// A small WebSocket server: it sends the messages that its caller wants, and answers each message of the page.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const KEY = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A frame that the server sends: text (1) or close (8). */
const frame = (opcode, text) => Buffer.concat([Buffer.from([0x80 | opcode, text.length]), Buffer.from(text)]);

/** The opcode and the text of a short frame that a browser sent. */
function read(buffer) {
  const length = buffer[1] & 127;
  const mask = buffer.subarray(2, 6);
  const text = buffer.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]);
  return { opcode: buffer[0] & 15, text: text.toString() };
}

/** Starts a server on a free port. `connected` gets a function that sends text, and one that closes. */
export async function serveSockets(connected) {
  const server = createServer();
  const open = new Set();
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1')
      .update(request.headers['sec-websocket-key'] + KEY)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    open.add(socket);
    socket.on('error', () => {});
    const close = () => {
      socket.write(frame(8, ''));
      setTimeout(() => socket.destroy(), 20);
    };
    socket.on('data', (data) => {
      const { opcode, text } = read(data);
      if (opcode === 8) close();
      if (opcode === 1) socket.write(frame(1, `re ${text}`));
    });
    connected((text) => socket.write(frame(1, text)), close, request.url);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
