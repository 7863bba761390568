"""Writes and reads .ilt files, made from docs/format.md alone.

    ilt.py write OUT.ilt WINDOW < LINES     LINES is the plain notation below; a window of at most WINDOW operations
    ilt.py read IN.ilt                      prints the plain notation

The plain notation is one JSON list a line: ["model", name], ["process", thread, process],
["kind", location, kind], or an operation [thread, op, [argument…], {attribute: value}].
Names are written with one character a byte (Latin-1), so that any bytes pass.
"""

import json
import struct
import sys

MAGIC, TAIL = b"\x93ILT", b"TLI\x93"
NAMES = ["thread", "process", "queue", "message", "handle", "lock", "callback", "environment",
         "barrier", "location", "function", "text"]
TABLE = {name: tag for tag, name in enumerate(NAMES)}
SYNC = [("init", []), ("exit", []), ("fork", ["thread"]), ("join", ["thread"]),
        ("notify", ["handle"]), ("wait", ["handle"]), ("lock", ["lock"]), ("unlock", ["lock"]),
        ("attach", ["queue"]), ("loop", ["queue"]), ("enqueue", ["message", "queue"]),
        ("enqueue_end", ["message"]), ("remove", ["message"]), ("begin", ["message"]),
        ("end", ["message"]), ("post_barrier", ["barrier", "queue"]),
        ("remove_barrier", ["barrier"]), ("register", ["callback"]), ("invoke", ["callback"]),
        ("invoke_sync", ["callback"]), ("unregister", ["callback"]), ("enable", ["environment"]),
        ("trigger", ["environment"]), ("arc", ["message", "message"])]
SYNC_TAG = {op: tag for tag, (op, _) in enumerate(SYNC)}
POSTINGS = ["plain", "delay", "time", "front", "idle", "input", "display", "ipc"]
KINDS = ["user", "framework", "handler", "dom", "cookie", "storage", "resource"]
FIELDS = [(1, "at"), (2, "value"), (4, "source"), (8, "source_id"), (16, "type"), (32, "name"),
          (64, "provenance")]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def svarint(n):
    return varint(2 * n if n >= 0 else -2 * n - 1)


def signed(n, bits):
    n %= 1 << bits
    return n - (1 << bits) if n >> bits - 1 else n


def raw(text):
    return text.encode("latin-1")


class Previous:
    def __init__(self):
        self.at = self.source = self.source_id = 0


class Writer:
    def __init__(self, out):
        self.out, self.listed = out, []
        self.ids = [dict() for _ in NAMES]
        self.ids[TABLE["process"]]["app"] = 0
        self.sources, self.stacks = {}, {}
        self.number, self.first = 0, 0
        self.start_tables()
        self.start_window()
        self.open, self.stack = {}, {}
        self.begun = set()

    def counts(self):
        return [len(ids) for ids in self.ids] + [len(self.sources), len(self.stacks)]

    def start_tables(self):
        self.preamble, self.tables = b"".join(map(varint, self.counts())), b""

    def start_window(self):
        self.sync, self.data = bytearray(), bytearray()
        self.sync_next, self.sync_previous = self.number, Previous()
        self.data_next, self.data_previous, self.data_thread, self.location = self.number, Previous(), 0, 0
        self.first = self.number

    def block(self, kind, first, span, payload):
        header = MAGIC + bytes([1, kind, 0, 0]) + struct.pack(
            "<IIQII", len(payload), len(payload), first, span, crc32c(payload))
        self.out.write(header + struct.pack("<I", crc32c(header)) + payload)
        self.listed.append((kind, len(header) + 4 + len(payload), span))

    def flush(self):
        if self.tables:
            self.block(1, self.first, 0, self.preamble + self.tables)
        span = self.number - self.first
        if self.sync:
            self.block(2, self.first, span, bytes(self.sync))
        if self.data:
            self.block(3, self.first, span, bytes(self.data))
        self.start_tables()
        self.start_window()

    def close(self):
        self.flush()
        payload = varint(self.number) + varint(len(self.listed))
        for kind, length, span in self.listed:
            payload += bytes([kind]) + varint(length) + varint(span)
        payload += struct.pack("<I", 36 + len(payload) + 8) + TAIL
        self.block(4, self.number, 0, payload)

    def id(self, table, name):
        ids = self.ids[TABLE[table]]
        if name not in ids:
            ids[name] = len(ids)
            self.tables += bytes([TABLE[table]]) + varint(len(raw(name))) + raw(name)
        return ids[name]

    def source(self, position):
        file, line, column = position
        key = (self.id("text", file), line, column)
        if key not in self.sources:
            self.sources[key] = len(self.sources)
            self.tables += b"\x10" + varint(key[0]) + varint(line) + varint(0 if column is None else column + 1)
        return self.sources[key]

    def declare(self, line):
        if line[0] == "model":
            text = self.id("text", line[1])
            self.tables += b"\x12" + varint(text)
        elif line[0] == "process":
            thread, process = self.id("thread", line[1]), self.id("process", line[2])
            self.tables += b"\x13" + varint(thread) + varint(process)
        else:
            location = self.id("location", line[1])
            if line[2] in KINDS:
                self.tables += b"\x14" + varint(location) + bytes([KINDS.index(line[2])])
            else:
                text = self.id("text", line[2])
                self.tables += b"\x14" + varint(location) + b"\x07" + varint(text)

    def attributes(self, given, previous, allowed):
        mask, out = 0, b""
        for bit, name in FIELDS:
            if name not in given or not bit & allowed:
                continue
            mask |= bit
            value = given[name]
            if name in ("at", "source_id"):
                out += svarint(signed(value - getattr(previous, name), 64))
                setattr(previous, name, value)
            elif name == "source":
                source = self.source(value)
                out += svarint(source - previous.source)
                previous.source = source
            elif name == "provenance":
                out += bytes([1 if value == "user" else 2])
            else:
                out += varint(self.id("text", value))
        return mask, out

    def move(self, thread):
        if thread != self.data_thread or self.number != self.data_next:
            self.data += b"\x05" + varint(thread) + varint(self.number - self.data_next)
            self.data_thread = thread
        self.data_next = self.number + 1

    def push(self, thread, op, arguments, given):
        thread = self.id("thread", thread)
        if op in ("read", "write"):
            location = self.id("location", arguments[0])
            mask, fields = self.attributes(given, self.data_previous, 15)
            self.move(thread)
            delta = signed(location - self.location, 32)
            self.location = location
            head = 2 * delta if delta >= 0 else -2 * delta - 1
            if mask:
                self.data += varint(head << 3 | 4) + bytes([mask | (128 if op == "write" else 0)]) + fields
            else:
                self.data += varint(head << 3 | (op == "write"))
        elif op == "enter":
            self.enter(thread, arguments[0], given)
        elif op == "leave":
            mask, fields = self.attributes(given, self.data_previous, 15)
            self.move(thread)
            self.data += varint(4 << 3 | 5) + bytes([mask]) + fields if mask else varint(2 << 3 | 5)
            floor = self.open[thread][-1][1] if self.open.get(thread) else None
            if self.stack.get(thread) not in (None, floor):
                self.stack[thread] = self.stack[thread][0]
        else:
            self.sync_row(thread, op, arguments, given)
        self.number += 1

    def enter(self, thread, function, given):
        function = self.id("function", function)
        source = self.source(given["source"]) + 1 if "source" in given else 0
        whose = {None: 0, "user": 1, "framework": 2}[given.get("provenance")]
        stack = (self.stack.get(thread), function, source, whose)
        if stack not in self.stacks:
            parent = 0 if stack[0] is None else self.stacks[stack[0]] + 1
            self.stacks[stack] = len(self.stacks)
            self.tables += b"\x11" + varint(parent) + varint(function) + varint(source) + bytes([whose])
        self.stack[thread] = stack
        mask, fields = self.attributes(given, self.data_previous, 11)
        self.move(thread)
        number = varint(self.stacks[stack])
        self.data += varint((3 if mask else 1) << 3 | 5) + number + (bytes([mask]) + fields if mask else b"")

    def sync_row(self, thread, op, arguments, given):
        tag = SYNC_TAG[op]
        ids = [self.id(table, name) for table, name in zip(SYNC[tag][1], arguments)]
        mask, fields = self.attributes(given, self.sync_previous, 127)
        self.sync += bytes([tag, mask]) + varint(self.number - self.sync_next) + varint(thread)
        self.sync += b"".join(map(varint, ids))
        if op == "enqueue":
            kind, number, flags = arguments[2]
            self.sync += bytes([POSTINGS.index(kind) | (16 if "async" in flags else 0) | (32 if "sync" in flags else 0)])
            self.sync += svarint(number) if kind in ("delay", "time") else b""
        self.sync += fields
        self.sync_next = self.number + 1
        if op == "begin" and ids[0] not in self.begun:
            self.begun.add(ids[0])
            self.open.setdefault(thread, []).append((ids[0], self.stack.get(thread)))
        if op == "end" and self.open.get(thread) and self.open[thread][-1][0] == ids[0]:
            self.stack[thread] = self.open[thread].pop()[1]


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, n):
        self.at += n
        assert self.at <= len(self.data)
        return self.data[self.at - n:self.at]

    def varint(self):
        n = shift = 0
        while True:
            byte = self.byte()
            n |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return n

    def svarint(self):
        return unzigzag(self.varint())


def unzigzag(n):
    return n >> 1 if n % 2 == 0 else -(n + 1) // 2


class Reader:
    def __init__(self, data):
        self.names = [[] for _ in NAMES]
        self.names[TABLE["process"]].append("app")
        self.sources, self.stacks, self.header, self.operations = [], [], [], {}
        at, closed = 0, None
        while at < len(data):
            header = data[at:at + 36]
            assert header[:5] == MAGIC + b"\x01" and crc32c(header[:32]) == struct.unpack("<I", header[32:])[0]
            kind, codec, flags = header[5:8]
            stored, length, first, span, crc = struct.unpack("<IIQII", header[8:32])
            payload = data[at + 36:at + 36 + stored]
            assert len(payload) == stored and crc32c(payload) == crc
            if codec == 1:
                import zstandard
                payload = zstandard.ZstdDecompressor().decompress(payload, max_output_size=length)
            assert len(payload) == length
            cursor = Cursor(payload)
            at += 36 + stored
            if kind == 1:
                self.read_tables(cursor)
            elif kind == 2:
                self.read_sync(cursor, first)
            elif kind == 3:
                self.read_data(cursor, first)
            elif kind == 4:
                closed = cursor.varint()
                assert data[-4:] == TAIL and struct.unpack("<I", data[-8:-4])[0] == 36 + stored
            else:
                assert not flags & 1
        assert closed == len(self.operations) and list(range(closed)) == sorted(self.operations)

    def name(self, table, row):
        return self.names[TABLE[table]][row]

    def read_tables(self, cursor):
        counts = [cursor.varint() for _ in range(14)]
        assert counts == [len(names) for names in self.names] + [len(self.sources), len(self.stacks)]
        while cursor.more():
            tag = cursor.byte()
            if tag < 12:
                self.names[tag].append(cursor.bytes(cursor.varint()).decode("latin-1"))
            elif tag == 16:
                file, line, column = self.name("text", cursor.varint()), cursor.varint(), cursor.varint()
                self.sources.append([file, line, column - 1 if column else None])
            elif tag == 17:
                parent, function, source, whose = [cursor.varint() for _ in range(4)]
                entry = {"source": self.sources[source - 1]} if source else {}
                entry.update({"provenance": [None, "user", "framework"][whose]} if whose else {})
                self.stacks.append((self.name("function", function), entry))
            elif tag == 18:
                self.header.append(["model", self.name("text", cursor.varint())])
            elif tag == 19:
                thread = self.name("thread", cursor.varint())
                self.header.append(["process", thread, self.name("process", cursor.varint())])
            else:
                assert tag == 20
                location, kind = self.name("location", cursor.varint()), cursor.byte()
                self.header.append(["kind", location, KINDS[kind] if kind < 7 else self.name("text", cursor.varint())])

    def attributes(self, cursor, mask, previous):
        found = {}
        for bit, name in FIELDS:
            if not mask & bit:
                continue
            if name in ("at", "source_id"):
                setattr(previous, name, (getattr(previous, name) + cursor.svarint()) % (1 << 64))
                found[name] = getattr(previous, name)
            elif name == "source":
                previous.source += cursor.svarint()
                found[name] = self.sources[previous.source]
            elif name == "provenance":
                found[name] = [None, "user", "framework"][cursor.byte()]
            else:
                found[name] = self.name("text", cursor.varint())
        return found

    def read_sync(self, cursor, number):
        previous = Previous()
        while cursor.more():
            tag, mask = cursor.byte(), cursor.byte()
            number += cursor.varint()
            thread = self.name("thread", cursor.varint())
            op, tables = SYNC[tag]
            arguments = [self.name(table, cursor.varint()) for table in tables]
            if op == "enqueue":
                posting = cursor.byte()
                kind = POSTINGS[posting & 15]
                value = cursor.svarint() if kind in ("delay", "time") else 0
                arguments.append([kind, value, ["async"] * (posting >> 4 & 1) + ["sync"] * (posting >> 5 & 1)])
            self.operations[number] = [thread, op, arguments, self.attributes(cursor, mask, previous)]
            number += 1

    def read_data(self, cursor, number):
        previous, thread, location = Previous(), 0, 0
        while cursor.more():
            head = cursor.varint()
            kind, n = head & 7, head >> 3
            if kind == 5 and n == 0:
                thread = cursor.varint()
                number += cursor.varint()
                continue
            name = self.name("thread", thread)
            if kind == 5:
                op, arguments, found = "leave", [], {}
                if n in (1, 3):
                    function, found = self.stacks[cursor.varint()]
                    op, arguments = "enter", [function]
                if n in (3, 4):
                    found = {**found, **self.attributes(cursor, cursor.byte(), previous)}
                self.operations[number] = [name, op, arguments, found]
            else:
                location = (location + unzigzag(n)) % (1 << 32)
                write, found = kind & 1, {}
                if kind in (2, 3):
                    previous.source += 1
                    found = {"source": self.sources[previous.source]}
                elif kind == 4:
                    mask = cursor.byte()
                    write, found = mask >> 7, self.attributes(cursor, mask & 127, previous)
                place = self.name("location", location)
                self.operations[number] = [name, "write" if write else "read", [place], found]
            number += 1


def main():
    if sys.argv[1] == "write":
        with open(sys.argv[2], "wb") as out:
            writer = Writer(out)
            for line in map(json.loads, sys.stdin):
                if len(line) < 4:
                    writer.declare(line)
                    continue
                writer.push(*line)
                if writer.number - writer.first >= int(sys.argv[3]):
                    writer.flush()
            writer.close()
    else:
        with open(sys.argv[2], "rb") as source:
            reader = Reader(source.read())
        for line in reader.header + [reader.operations[n] for n in range(len(reader.operations))]:
            print(json.dumps(line))


main()
