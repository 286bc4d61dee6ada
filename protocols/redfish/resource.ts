import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Account } from '../accounts.ts';
import type { Requester } from '../machine/index.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './messages.ts';
import type { ObjectRule } from './rules.ts';
import { link } from './uris.ts';

/**
 * One resource of the tree, created for one request. `service` adds what all resources share (`@odata.*`, `Actions`, ETag, headers,
 * queries) and checks privileges and input before it calls a method.
 */
export interface Resource {
  /** Namespace and name of its schema: `ComputerSystem.v1_27_0.ComputerSystem`, `ChassisCollection.ChassisCollection`. */
  readonly type: string;
  /**
   * The properties without `@odata.id`, `.type` and `.etag`. For a collection: `Name` and `Members`, whose elements have only
   * `@odata.id`; `Members@odata.count` is added.
   *
   * @throws RedfishError
   */
  read(): JsonObject | Promise<JsonObject>;
  readonly patch?: Patch;
  readonly create?: Create;
  /** @throws RedfishError */
  delete?(caller: Caller): void | Promise<void>;
  readonly actions?: readonly Action[];
  /** For a collection: its members with their URIs; the first one gives the schema of all. */
  members?(): readonly { uri: string; resource: Resource }[];
  /** It changes by itself (a clock, a reading), so it has no ETag. */
  readonly isVolatile?: boolean;
  /** Part of the ETag beside the properties: for changes that are not shown, such as a password. */
  readonly revision?: string;
  /** Whether it belongs to the caller, so that `ConfigureSelf` is sufficient; the resource itself checks the limits of that privilege. */
  isOwn?(caller: Caller): boolean;
  /** Replaces the 200 with `read` for GET and HEAD: a task monitor's 202 or 204. @throws RedfishError */
  answer?(): OwnAnswer;
  /** Answers GET and HEAD with a stream of events of any duration. Nothing was sent on the response before. */
  stream?(request: IncomingMessage, response: ServerResponse, caller: Caller): void;
}

export interface OwnAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: no body. */
  readonly body?: JsonObject;
}

/** PATCH of a resource. */
export interface Patch {
  /** Writable properties; other properties of `read` are `PropertyNotWritable`, unknown ones `PropertyUnknown`. */
  readonly rules: ObjectRule;
  /**
   * Applies all changes or none. All properties have passed the rules.
   *
   * @returns messages for the client beside the updated resource
   * @throws RedfishError
   */
  apply(changes: JsonObject, caller: Caller): Promise<readonly Message[] | undefined>;
}

/** POST to a collection. */
export interface Create {
  readonly rules: ObjectRule;
  /** @returns the URI of the new member, and response headers @throws RedfishError */
  apply(properties: JsonObject, caller: Caller): Promise<Created>;
  /** Needs no authentication: POST to Sessions. */
  readonly isOpen?: boolean;
}

export interface Created {
  readonly uri: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Messages for the client in the body of the 201. */
  readonly messages?: readonly Message[];
}

/** `POST <resource>/Actions/<name>`. Each action with parameters gets an ActionInfo. */
export interface Action {
  /** `ComputerSystem.Reset` */
  readonly name: string;
  readonly rules: ObjectRule;
  /** @throws RedfishError */
  run(parameters: JsonObject, caller: Caller): ActionOutcome | Promise<ActionOutcome>;
}

/**
 * - `undefined`: done; 204.
 * - `task`: in progress, 202; URI of the Task.
 * - `body`: 200 with this body.
 * - `messages`: done, 200 with these messages.
 * - `changed`: done, 204 with the URI of the resource that it has replaced.
 */
export type ActionOutcome =
  | undefined
  | { readonly task: string }
  | { readonly body: JsonObject }
  | { readonly messages: readonly Message[] }
  | { readonly changed: string };

/** The location of resources of one kind. */
export interface Route {
  /** `/redfish/v1/Systems/1/LogServices/{log}/Entries/{entry}`; without trailing slash. */
  readonly path: string;
  /** Entity in the privilege registry: `LogEntry`. Default: the schema's name. */
  readonly entity?: string;
  /** Readable without authentication: the root. */
  readonly isOpen?: true;
  /** The current resource at this location; undefined: 404. */
  find(parameters: Readonly<Record<string, string>>): Resource | undefined;
}

/** The authenticated caller of a request. */
export interface Caller {
  readonly account: Account;
  /** Session ID; undefined: Basic authentication. */
  readonly session?: string;
  /** For the machine, its event log and the audit log. */
  readonly requester: Requester;
  /** All other operations are refused until the password is changed. */
  readonly mustChangePassword?: boolean;
}

type Members = NonNullable<Resource['members']>;

/** A collection; `members` is called for each request. @param schema `ChassisCollection` */
export function collection(schema: string, name: string, members: Members): Resource {
  return {
    type: `${schema}.${schema}`,
    read: () => ({ Name: name, Members: members().map(({ uri }) => link(uri)) }),
    members,
  };
}

/**
 * Changes the ETag of a resource when one of its secrets changes. The key is private to the process, so that the secret cannot be
 * guessed from the ETag.
 */
export function secretRevisions(random: (size: number) => Buffer): (secret: string | Buffer) => string {
  const key = random(32);
  return (secret) => createHmac('sha256', key).update(secret).digest('base64url');
}
