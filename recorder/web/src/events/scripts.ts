/**
 * The order of scripts. Some run in the parser's order, some in the order of their insertion, and some
 * are ordered only after the event that inserted them. This file also finds where the code of scripts
 * and handler attributes begins.
 */
import type { Imports, ScriptKind } from 'interloper-js-recorder/hooks';
import type { Modules } from 'interloper-js-recorder/modules';
import { apply, newMap, newWeakMap } from 'interloper-js-recorder/natives';
import type { Dispatches } from './dispatch';
import type { Elements } from './elements';
import type { Loading } from './loading';
import type { WindowRealm } from './window';

const { exec } = RegExp.prototype;
/** The type of a module script. */
const module = /^\s*module\s*$/i;

type Mode = 'parser' | 'free' | 'ordered';

interface Script {
  id: string;
  mode: Mode;
}

export class Scripts {
  private readonly realm: WindowRealm;
  private readonly elements: Elements;
  private readonly currentScript: (document: any) => any;
  private readonly currentTarget: (event: any) => any;
  private readonly isAsync: (script: any) => boolean;
  private readonly source: (script: any) => string;
  /** The address of the code of an inline module. */
  private readonly base: (node: any) => string;
  private readonly scripts = newWeakMap<object, Script>();
  /** Callbacks of the handler attributes that scripts have set, by type of event. */
  private readonly attributed = newWeakMap<object, Map<string, string>>();
  /** The last click on a link to a `javascript:` address. */
  private link: { element: object; event: string } | undefined;
  /** The last of the scripts that run in the order of their insertion. */
  private ordered = '';
  constructor(
    private readonly dispatches: Dispatches,
    private readonly loading: Loading,
    private readonly modules: Modules,
  ) {
    const { realm, elements } = dispatches;
    this.realm = realm;
    this.elements = elements;
    const { global } = realm;
    this.currentScript = realm.getter(global.Document.prototype, 'currentScript');
    this.currentTarget = realm.getter(global.Event.prototype, 'currentTarget');
    this.isAsync = realm.getter(global.HTMLScriptElement.prototype, 'async');
    this.base = realm.getter(global.Node.prototype, 'baseURI');
    this.source = realm.getter(global.HTMLScriptElement.prototype, 'src');
    realm.hooks.began = (file, kind, address, imports) => this.began(file, kind, address, imports);
  }

  /** Records that a script set a handler attribute. The calls of the handler are ordered after it. */
  handler(element: object, type: string): void {
    const callback = this.realm.id();
    let types = this.attributed.get(element);
    if (!types) this.attributed.set(element, (types = newMap()));
    types.set(type, callback);
    this.realm.agent.line(`register ${callback}${this.realm.site()}`);
  }

  private isModule(element: any): boolean {
    const type = this.elements.get(element, 'type');
    return type !== null && apply(exec, module, [type]) !== null;
  }

  /** Notes that a script element is now in the document. */
  note(element: any, byParser: boolean): void {
    if (this.scripts.has(element)) return;
    const { elements } = this;
    const free = byParser ? elements.get(element, 'async') !== null : this.isAsync(element);
    const fetched = elements.get(element, 'src') !== null || this.isModule(element);
    const mode: Mode = !fetched || !free ? (byParser ? 'parser' : 'ordered') : 'free';
    const id = this.realm.id();
    this.scripts.set(element, { id, mode });
    if (this.isModule(element)) {
      const address = this.source(element) || this.base(element);
      if (mode === 'free') this.modules.loads(address);
      else if (byParser) this.modules.orders(address);
    }
    if (mode !== 'parser' && fetched) this.realm.enqueue(id, 'scripts', '', byParser ? '' : this.realm.site());
  }

  /** Called when rewritten code begins to run. */
  private began(file: string, kind: ScriptKind, address: string | undefined, imports: Imports | undefined): void {
    const { agent } = this.realm;
    this.realm.renew();
    if (kind === 'h') return this.dispatchesHandler();
    if (kind !== 's' && kind !== 'm') return;
    const inModule = kind === 'm' && this.modules.goesOn;
    if (agent.event !== '' && !inModule) return;
    if (agent.event !== '') agent.end();
    else agent.strays();
    const element = this.currentScript(this.realm.global.document);
    const known = element ? this.scripts.get(element) : undefined;
    const id = known?.id ?? this.realm.id();
    if (kind === 'm' && !inModule) this.modules.begins();
    agent.begin(id, inModule ? 'module' : 'script', file);
    if (kind === 'm') {
      const ordered = this.modules.began(address, id, !inModule, this.loading.deferring);
      if (imports) this.modules.imported(imports, id);
      if (ordered !== '') this.loading.follow(ordered, 'parser');
    }
    if (inModule) return this.ran(null, id);
    if (known?.mode === 'parser') this.loading.follow(id, 'parser');
    else if (known?.mode === 'ordered') {
      this.realm.arc(this.ordered, id, 'script');
      this.ordered = id;
    } else if (!element && kind === 's') this.follows(id);
    this.ran(element, id);
  }

  private ran(element: object | null, id: string): void {
    this.loading.ran(element, id);
    this.realm.agent.endLater();
  }

  /** Notes that an event may follow the link to a `javascript:` address. */
  clicked(link: object, event: string): void {
    this.link = { element: link, event };
  }

  /** Orders the code of a `javascript:` address after the click on its link, and after the link. */
  private follows(id: string): void {
    const { link } = this;
    this.link = undefined;
    if (!link) return;
    this.realm.arc(link.event, id, 'target');
    this.realm.arc(this.loading.creator(link.element), id, 'target');
  }

  /** Finds the dispatch of a handler attribute whose code begins. */
  private dispatchesHandler(): void {
    const { agent, global } = this.realm;
    if (agent.event !== '') return;
    const { event } = global;
    if (event && !agent.isAlive && !this.dispatches.task(event)) this.dispatches.find(event);
    const type = event ? this.dispatches.type(event) : '';
    agent.begin(this.realm.id(), 'listener', event ? `on ${type}` : 'handler');
    const callback = event && this.attributed.get(this.currentTarget(event))?.get(type);
    if (callback) agent.line(`invoke ${callback}`);
    agent.endLater();
  }
}
