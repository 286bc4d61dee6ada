import { MachineError, type MachineErrorCode } from '../../machine/index.ts';
import type { Action, Caller, Resource, Route } from '../resource.ts';
import type { JsonObject } from '../json.ts';
import { base, RedfishError } from '../messages.ts';
import type { ObjectRule } from '../rules.ts';

const LIMITS: ObjectRule = {
  kind: 'object',
  properties: { Low: { kind: 'number', least: 0, most: 9 }, High: { kind: 'number', least: 10, most: 99 } },
};

/** The writable properties of a thing. */
const THING_RULES: ObjectRule = {
  kind: 'object',
  properties: {
    AssetTag: { kind: 'text', maxLength: 8, minLength: 2, pattern: /^[a-z0-9]*$/, isNullable: true },
    Password: { kind: 'text', maxLength: 16, isSecret: true },
    Mode: { kind: 'word', words: ['Fast', 'Slow'] },
    Enabled: { kind: 'flag' },
    Limits: LIMITS,
    Order: { kind: 'list', maxItems: 3, items: { kind: 'word', words: ['a', 'b', 'c'] } },
    Pairs: {
      kind: 'list',
      maxItems: 2,
      items: { kind: 'object', properties: { Key: { kind: 'text', maxLength: 4, isRequired: true } } },
    },
  },
};

/** A collection of resources that can be created, changed, deleted and acted on, for tests of common behaviour. */
export class Things {
  readonly things = new Map<string, JsonObject>([
    ['1', { Id: '1', Name: 'one', AssetTag: null, Mode: 'Fast', Limits: { Low: 1, High: 11, Peak: 5 }, Serial: 'x' }],
  ]);
  /** Thrown by the next change. */
  error: Error | undefined;
  readonly ran: [string, JsonObject][] = [];
  /** Changes wait for this promise. */
  gate: Promise<void> | undefined;
  /** Number of requested changes. */
  waiting = 0;

  readonly routes: readonly Route[] = [
    { path: '/redfish/v1', isOpen: true, find: () => this.#root() },
    { path: '/redfish/v1/Things', find: () => this.#collection() },
    { path: '/redfish/v1/Things/{thing}', find: ({ thing = '' }) => this.#thing(thing) },
    { path: '/redfish/v1/Clock', find: () => this.#clock() },
    { path: '/redfish/v1/Broken', find: () => broken() },
    { path: '/redfish/v1/Stream', find: () => stream() },
    { path: '/redfish/v1/Logins', find: () => this.#logins() },
  ];

  fail(code: MachineErrorCode): void {
    this.error = new MachineError(code, `it is ${code}`);
  }

  #root(): Resource {
    const Things = { '@odata.id': '/redfish/v1/Things' };
    return { type: 'ServiceRoot.v1_20_0.ServiceRoot', read: () => ({ Id: 'Root', Name: 'Root', Things, Oem: null }) };
  }

  #collection(): Resource {
    return {
      type: 'ThingCollection.ThingCollection',
      read: () => ({
        Name: 'Things',
        Members: [...this.things.keys()].map((id) => ({ '@odata.id': `/redfish/v1/Things/${id}` })),
      }),
      create: {
        rules: {
          kind: 'object',
          properties: { ...THING_RULES.properties, Name: { kind: 'text', maxLength: 9, isRequired: true } },
        },
        apply: async (properties) => {
          await this.#admit();
          const id = String(this.things.size + 1);
          this.things.set(id, { Id: id, ...properties });
          return { uri: `/redfish/v1/Things/${id}`, headers: { 'X-Made': id } };
        },
      },
    };
  }

  #thing(id: string): Resource | undefined {
    const thing = this.things.get(id);
    if (thing === undefined) return undefined;
    return {
      type: 'Thing.v1_2_0.Thing',
      read: () => {
        const { Password: _secret, ...shown } = this.things.get(id) ?? thing;
        return shown;
      },
      revision: JSON.stringify(thing['Password'] ?? ''),
      isOwn: ({ account }: Caller) => String(account.id) === id,
      patch: {
        rules: THING_RULES,
        apply: async (changes) => {
          await this.#admit();
          this.things.set(id, { ...thing, ...changes });
          return changes['Mode'] === 'Slow'
            ? [base('PropertyValueConflict', ['Mode', 'Enabled'], ['#/Mode'])]
            : undefined;
        },
      },
      delete: async () => {
        await this.#admit();
        this.things.delete(id);
      },
      actions: [
        this.#action('Thing.Reset', { ResetType: { kind: 'word', words: ['On', 'Off'], isRequired: true } }),
        this.#action('Thing.Clear', {}),
        this.#action('Thing.Import', {
          Image: { kind: 'text', maxLength: 20 },
          Times: { kind: 'number', least: 1, most: 3 },
          Words: { kind: 'list', maxItems: 2, items: { kind: 'word', words: ['x'] } },
          Deep: { kind: 'list', maxItems: 2, items: { kind: 'list', maxItems: 1, items: { kind: 'flag' } } },
          Password: { kind: 'text', maxLength: 4, isSecret: true },
        }),
      ],
    };
  }

  #action(name: string, properties: ObjectRule['properties']): Action {
    return {
      name,
      rules: { kind: 'object', properties },
      run: async (parameters) => {
        await this.#admit();
        this.ran.push([name, parameters]);
        if (parameters['Image'] === 'known') return { messages: [base('NoOperation')] };
        if (name === 'Thing.Import') return { task: parameters['Image'] === 'far' ? '/nowhere' : '/redfish/v1/Clock' };
        return parameters['ResetType'] === 'Off' ? { body: { Done: true } } : undefined;
      },
    };
  }

  #clock(): Resource {
    return {
      type: 'Clock.v1_0_0.Clock',
      isVolatile: true,
      read: () => Promise.resolve({ Id: 'Clock', Time: 'now' }),
      patch: {
        rules: { kind: 'object', properties: { Time: { kind: 'text', maxLength: 9 } } },
        apply: () => Promise.resolve(undefined),
      },
    };
  }

  #logins(): Resource {
    return {
      type: 'LoginCollection.LoginCollection',
      read: () => ({ Name: 'Logins', Members: [] }),
      create: {
        isOpen: true,
        rules: { kind: 'object', properties: {}, isOpen: true },
        apply: () => Promise.resolve({ uri: '/redfish/v1/Clock', messages: [base('PasswordChangeRequired', ['/x'])] }),
      },
    };
  }

  async #admit(): Promise<void> {
    this.waiting += 1;
    await this.gate;
    const { error } = this;
    this.error = undefined;
    if (error !== undefined) throw error;
  }
}

function broken(): Resource {
  return {
    type: 'Broken.v1_0_0.Broken',
    read: () => {
      throw new Error('an internal detail');
    },
  };
}

function stream(): Resource {
  return {
    type: 'Stream.v1_0_0.Stream',
    read: () => ({ Id: 'Stream', Name: 'Stream' }),
    stream: (request, response) => {
      if (request.headers['accept'] === 'application/json')
        throw new RedfishError(406, [base('HeaderInvalid', ['Accept'])]);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end('data: 1\n\n');
    },
  };
}
