import type { Caller } from '../caller.ts';
import type { RedfishContext } from '../context.ts';
import type { Resource } from '../resource.ts';
import type { StoredSubscription } from '../state.ts';
import type { Hub } from './hub.ts';
import { describeSubscription } from './describe-subscription.ts';
import { isOwnerOf } from './kept-subscriptions.ts';
import { SUBSCRIPTIONS } from './names.ts';
import type { Streams } from './stream.ts';
import { CHANGEABLE, changesIn, TEXT } from './subscription-wish.ts';

interface Parts {
  readonly context: RedfishContext & { readonly events: Hub };
  readonly streams: Streams;
  readonly revisionOf: (secret: string) => string;
}

/** The stored subscriptions, and one for each open stream. */
export function members(parts: Parts): { uri: string; resource: Resource }[] {
  const { context, streams } = parts;
  const stored = context.events.subscriptions.list().map(({ id }) => id);
  return [...stored, ...streams.ids()].flatMap((id) => {
    const resource = subscriptionOf(parts, id);
    return resource === undefined ? [] : [{ uri: `${SUBSCRIPTIONS}/${id}`, resource }];
  });
}

export function subscriptionOf(parts: Parts, id: string): Resource | undefined {
  return parts.streams.resourceOf(id) ?? storedResource(parts, id);
}

function storedResource({ context, revisionOf }: Parts, id: string): Resource | undefined {
  const { state, observer } = context.options;
  const stored = context.events.subscriptions.find(id);
  if (stored === undefined) return undefined;
  const edit = (change: Partial<StoredSubscription>): Promise<void> =>
    state.change(({ subscriptions = [] }) => ({
      subscriptions: subscriptions.map((one) => (one.id === id ? { ...one, ...change } : one)),
    }));
  return {
    type: 'EventDestination.v1_16_0.EventDestination',
    // Headers are not shown, but a change of them changes the ETag.
    revision: revisionOf(JSON.stringify(stored.httpHeaders)),
    read: () => describeSubscription(stored, context.events.problemOf(id)),
    patch: {
      rules: { kind: 'object', properties: CHANGEABLE },
      apply: async (changes, { requester }) => {
        await edit(changesIn(changes));
        observer.audited(requester, `changed ${Object.keys(changes).join(', ')} of the event subscription ${id}`);
        return undefined;
      },
    },
    isOwn: ({ account }: Caller) => isOwnerOf(stored, account),
    delete: async ({ requester }) => {
      await state.change(({ subscriptions = [] }) => ({
        subscriptions: subscriptions.filter((one) => one.id !== id),
      }));
      observer.audited(requester, `ended the event subscription ${id}`);
    },
    actions: [
      {
        name: 'EventDestination.ResumeSubscription',
        rules: { kind: 'object', properties: { DeliverBufferedEventDuration: { ...TEXT, isNullable: true } } },
        run: async (_parameters, { requester }) => {
          await edit({ isSuspended: false });
          context.events.resume(id);
          observer.audited(requester, `resumed the event subscription ${id}`);
          return undefined;
        },
      },
    ],
  };
}
