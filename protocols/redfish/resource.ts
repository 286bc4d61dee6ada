import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from './json.ts';
import type { Message } from './messages/index.ts';
import type { Caller } from './caller.ts';
import type { ObjectRule } from './rules.ts';

/**
 * One resource of the tree, which lives as long as a request does. It says what it is; `service` adds what all have in common
 * (`@odata.*`, `Actions`, ETag, headers, queries), and checks privileges and what clients send before it calls.
 */
export interface Resource {
  /** Namespace and name of its schema: `ComputerSystem.v1_27_0.ComputerSystem`, `ChassisCollection.ChassisCollection`. */
  readonly type: string;
  /**
   * Its properties, those of `@odata.id`, `.type` and `.etag` apart. Of a collection: `Name` and `Members`, whose elements have
   * `@odata.id` alone; `Members@odata.count` is added.
   *
   * @throws RedfishError
   */
  read(): JsonObject | Promise<JsonObject>;
  readonly patch?: Patch;
  readonly create?: Create;
  /** @throws RedfishError */
  delete?(caller: Caller): Promise<void>;
  readonly actions?: readonly Action[];
  /** URI of each member, and the member, where it is a collection: one of them tells which schema all have. */
  members?(): readonly { uri: string; resource: Resource }[];
  /** It changes by itself (a clock, a reading), so that its ETag says nothing: none is given. */
  readonly isVolatile?: boolean;
  /** What its ETag is to show beside its properties: changes of what it does not tell, as a password. */
  readonly revision?: string;
  /** Whether it is the caller's own, so that `ConfigureSelf` is enough; it refuses by itself what that does not cover. */
  isOwn?(caller: Caller): boolean;
  /** What GET and HEAD are answered in place of 200 and what `read` gives: a task monitor's 202 or 204. @throws RedfishError */
  answer?(): OwnAnswer;
  /** Answers GET and HEAD by itself, the former as long as it likes to: a stream of events. Nothing else of the response is sent before. */
  stream?(request: IncomingMessage, response: ServerResponse, caller: Caller): void;
}

export interface OwnAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: none. */
  readonly body?: JsonObject;
}

/** What PATCH may change. */
export interface Patch {
  /** Properties that can be written; all others that `read` has are `PropertyNotWritable`, the rest `PropertyUnknown`. */
  readonly rules: ObjectRule;
  /**
   * Changes what can be changed, all or nothing. It is given properties that keep the rules alone.
   *
   * @returns what the client is to be told beside the resource as it is then
   * @throws RedfishError
   */
  apply(changes: JsonObject, caller: Caller): Promise<readonly Message[] | undefined>;
}

/** What POST to a collection makes. */
export interface Create {
  readonly rules: ObjectRule;
  /** @returns the URI of what was made, and headers that go with it @throws RedfishError */
  apply(properties: JsonObject, caller: Caller): Promise<Created>;
  /** Whoever may log in may do this without being logged in: POST to Sessions. */
  readonly isOpen?: boolean;
}

export interface Created {
  readonly uri: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the client is to be told beside it, in the body of the 201. */
  readonly messages?: readonly Message[];
}

/** `POST <resource>/Actions/<name>`. An ActionInfo that describes its parameters is served for each that has some. */
export interface Action {
  /** `ComputerSystem.Reset` */
  readonly name: string;
  readonly rules: ObjectRule;
  /** @throws RedfishError */
  run(parameters: JsonObject, caller: Caller): Promise<ActionOutcome>;
}

/**
 * - `undefined`: it is done; 204.
 * - `task`: it goes on, 202; URI of the Task that tells how far it is.
 * - `body`: 200 with this.
 * - `messages`: it is done, and the client is told more; 200 with these.
 */
export type ActionOutcome =
  | undefined
  | { readonly task: string }
  | { readonly body: JsonObject }
  | { readonly messages: readonly Message[] };

/** Where resources of one kind stand. */
export interface Route {
  /** `/redfish/v1/Systems/1/LogServices/{log}/Entries/{entry}`; no slash at its end. */
  readonly path: string;
  /** Whose privileges apply, as the privilege registry names entities: `LogEntry`. Default: the schema's name. */
  readonly entity?: string;
  /** Whoever asks may read it without being logged in: the root. */
  readonly isOpen?: true;
  /** The resource at that place now; undefined: there is none, 404. */
  find(parameters: Readonly<Record<string, string>>): Resource | undefined;
}
