import { eventually, type Http, type WatchEvent } from '../../../test/harness/index.ts';
import { httpOver } from '../../../test/harness/http.ts';
import type { TestServer } from '../../../test/harness/server.ts';
import { watchOver } from '../../../test/harness/watch.ts';
import type { PlayedKind } from './kinds.ts';
import type { Sequence } from './operation.ts';
import { PlainWords } from './plain-words.ts';
import { Player, type Played } from './player.ts';
import { widgetDefinition } from './widget-definition.ts';

/** Name of the object that ends a sequence: when a watch shows it, it has shown all. */
const END = 'end';

/** One server with a namespace to play sequences in. */
export class Stage {
  readonly #server: TestServer;
  readonly #http: Http;
  readonly #namespace: string;
  readonly #group: string;
  #ownerUid = '';

  private constructor(server: TestServer, namespace: string, group: string) {
    this.#server = server;
    this.#http = httpOver(server.transport);
    this.#namespace = namespace;
    this.#group = group;
  }

  /** Makes the namespace, and the custom kind in `group`. */
  static async open(server: TestServer, namespace: string, group: string): Promise<Stage> {
    const stage = new Stage(server, namespace, group);
    await stage.#set();
    return stage;
  }

  /** Plays a sequence and leaves nothing of it; the last answer is what a watch has seen. */
  async play({ kind, watch, operations }: Sequence): Promise<Played[]> {
    const words = new PlainWords(this.#namespace, this.#ownerUid);
    const player = new Player({ http: this.#http, words, namespace: this.#namespace, ownerUid: this.#ownerUid });
    const path = this.#collection(kind);
    const query = new URLSearchParams({ ...watch.query, watch: 'true', resourceVersion: await this.#version(path) });
    const request = `${path}?${query.toString()}`;
    const watched = watchOver(this.#server.transport)(request, { accept: watch.accept, until: hasEnded });
    // Where a request fails before the watch has ended, that is what there is to tell.
    watched.catch(() => undefined);
    try {
      const played: Played[] = [];
      for (const operation of operations) played.push(await player.play(operation));
      await this.#must('POST', path, ending(kind));
      const events = await watched;
      return [...played, { request: `GET ${request} ${watch.accept}`, answer: words.of(events) }];
    } finally {
      await this.#sweep(path);
    }
  }

  /** Takes the namespace and the custom kind away, and closes the server. */
  async close(): Promise<void> {
    await this.#http('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${this.#group}`);
    await this.#http('DELETE', `/api/v1/namespaces/${this.#namespace}`);
    await this.#server.close();
  }

  async #set(): Promise<void> {
    const owner = await this.#must('POST', '/api/v1/namespaces', { metadata: { name: this.#namespace } });
    this.#ownerUid = owner.metadata.uid;
    await this.#must('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition(this.#group));
    await eventually(() => this.#must('GET', `/apis/${this.#group}/v1/widgets`));
  }

  #collection({ root, plural }: PlayedKind): string {
    return `${root}/namespaces/${this.#namespace}/${plural}`;
  }

  async #version(path: string): Promise<string> {
    return (await this.#must('GET', path)).metadata.resourceVersion;
  }

  /** Finalizers of nobody's would keep the objects for ever. */
  async #sweep(path: string): Promise<void> {
    const { items = [] } = await this.#must('GET', path);
    for (const { metadata } of items) {
      const object = `${path}/${metadata.name}`;
      if (metadata.finalizers !== undefined) {
        const body = { metadata: { finalizers: null } };
        await this.#http('PATCH', object, { body, contentType: 'application/merge-patch+json' });
      }
      await this.#http('DELETE', object);
    }
  }

  async #must(method: 'GET' | 'POST', path: string, body?: object): Promise<Answered> {
    const answer = await this.#http(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path} failed: ${JSON.stringify(answer.body)}`);
    return answer.body as Answered; // an object or a list
  }
}

interface Answered {
  metadata: { name: string; uid: string; resourceVersion: string; finalizers?: string[] };
  items?: Answered[];
}

function ending({ apiVersion, name, least }: PlayedKind): object {
  // The labels that sequences' watches ask for.
  return { apiVersion, kind: name, metadata: { name: END, labels: { a: 'x' } }, ...least };
}

function hasEnded(events: WatchEvent[]): boolean {
  const event = events.at(-1);
  const rows = event?.object['rows'] as { object: WatchEvent['object'] }[] | undefined; // of a Table
  return (rows?.[0]?.object ?? event?.object)?.metadata.name === END;
}
