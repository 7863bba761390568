/**
 * Shared workers. Connecting to a worker comes before the worker's event `connect`, which comes after the
 * worker's script. Messages of a connection are delivered in the order in which they were sent.
 *
 * A page and a shared worker share no objects, and several pages may connect to one worker. The worker's
 * address and name, which identify it, must not be changed. So a page makes a name for each connection and
 * puts it into a queue of the recorder, from which the worker takes it: connections arrive in the order in
 * which they were made.
 */
import { construct, peek } from 'interloper-js-recorder/natives';
import { isObject } from 'interloper-js-recorder/names';
import { type Mail, Mailbox, standFor } from './messages';
import type { Workshop } from './workers';

/** What identifies a shared worker within its origin. */
function identity(url: string, name: unknown): string {
  return `${url}\n${typeof name === 'string' ? name : ''}`;
}

export function patchSharedWorkers(mail: Mail, workshop: Workshop): void {
  const { realm } = mail.dispatches;
  const native = realm.global.SharedWorker;
  if (!native) return;
  const portOf = realm.getter(native.prototype, 'port');
  standFor(realm.global, 'SharedWorker', (target, args, newTarget) => {
    const options = args[1];
    const prepared = workshop.prepare(args[0], options);
    if (!prepared) return construct(target, args, newTarget) as object;
    const { url, name } = prepared;
    realm.code.connection(identity(url, isObject(options) ? peek(options, 'name') : options), name);
    realm.enqueue(`${name}.connect`, `${name}.connects`);
    realm.agent.send();
    const worker = construct(target, args.length > 1 ? [url, options] : [url], newTarget) as object;
    const port = portOf(worker);
    mail.outgoing.set(port, new Mailbox(`${name}.in`, true, realm.agent.event));
    mail.receive(port, `${name}.out`, 'shared worker');
    return worker;
  });
}

/** Records the connections to this worker, if it is a shared one. */
export function patchConnections(mail: Mail, scripts: { readonly first: string }): void {
  const { dispatches } = mail;
  const { realm } = dispatches;
  const { global, agent } = realm;
  if (!global.SharedWorkerGlobalScope) return;
  const worker = identity(global.location.href, global.name);
  const ports = realm.getter(global.MessageEvent.prototype, 'ports');
  const connected = (event: any): void => {
    if (!dispatches.isNative(event) || agent.isAlive) return;
    const name = realm.code.connection(worker);
    const id = name === '' ? realm.id() : `${name}.connect`;
    dispatches.begin(event, id, 'connect', 'worker');
    realm.arc(scripts.first, id, 'script');
    const port = ports(event)?.[0];
    if (name !== '' && port) {
      mail.outgoing.set(port, new Mailbox(`${name}.out`, true));
      mail.receive(port, `${name}.in`, 'page');
    }
    agent.end();
  };
  realm.listen(global, 'connect', connected, false);
}
