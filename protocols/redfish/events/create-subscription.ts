import type { Caller } from '../caller.ts';
import type { RedfishContext } from '../context.ts';
import { base, RedfishError } from '../messages/index.ts';
import type { RedfishOptions } from '../options.ts';
import type { Create } from '../resource.ts';
import type { StoredSubscription } from '../state.ts';
import { admitDestination, RefusedDestination } from './admit-destination.ts';
import { isOwnerOf } from './kept-subscriptions.ts';
import { admitOneMore, SUBSCRIPTION_LIMITS } from './limits.ts';
import { SUBSCRIPTIONS } from './names.ts';
import { changesIn, filtersIn, RULES, type Wish } from './subscription-wish.ts';
import { within } from '../../within.ts';

export function createSubscription({ options }: RedfishContext): Create {
  const { state, observer } = options;
  return {
    rules: RULES,
    apply: async (properties, caller) => {
      const wish = properties as Wish;
      const destination = destinationIn(wish.Destination ?? '');
      await admit(destination, options);
      const wanted = { ...NEW, ...changesIn(wish), ...filtersIn(wish), destination, ...ownerOf(caller) };
      let id = '';
      await state.change(({ subscriptions = [], counters = {} }) => {
        admitOneMore(subscriptions, (one) => isOwnerOf(one, caller.account), SUBSCRIPTION_LIMITS);
        const number = (counters.subscription ?? 0) + 1;
        id = String(number);
        return {
          subscriptions: [...subscriptions, { ...wanted, id }],
          counters: { ...counters, subscription: number },
        };
      });
      observer.audited(caller.requester, `subscribed ${new URL(destination).host} to events`);
      return { uri: `${SUBSCRIPTIONS}/${id}` };
    },
  };
}

function ownerOf({ account }: Caller): Pick<StoredSubscription, 'owner' | 'account'> {
  return { owner: account.name, account: account.id };
}

const NEW: Omit<StoredSubscription, 'id' | 'destination' | 'owner'> = {
  context: '',
  protocol: 'Redfish',
  registryPrefixes: [],
  resourceTypes: [],
  messageIds: [],
  excludedRegistryPrefixes: [],
  excludedMessageIds: [],
  eventTypes: [],
  verifiesCertificate: true,
  httpHeaders: {},
  retryPolicy: 'TerminateAfterRetries',
  isSuspended: false,
};

/** Timeout of the DNS lookup for a new subscription, ms. */
const PATIENCE = 3_000;

/** Accepts a name that does not resolve yet: it is checked again before each connection. @throws RedfishError */
async function admit(destination: string, { listeners, schedule }: RedfishOptions): Promise<void> {
  try {
    await within(PATIENCE, schedule, () => admitDestination(new URL(destination), listeners));
  } catch (error) {
    if (!(error instanceof RefusedDestination)) return;
    const message = base('PropertyValueError', ['Destination'], ['#/Destination']);
    throw new RedfishError(400, [{ ...message, Resolution: error.message }]);
  }
}

/** @throws RedfishError */
function destinationIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // An invalid URL may contain a password too.
  if (url === undefined)
    throw new RedfishError(400, [base('PropertyValueFormatError', ['******', 'Destination'], ['#/Destination'])]);
  const isPlain = url.username === '' && url.password === '';
  if (!['http:', 'https:'].includes(url.protocol) || !isPlain) {
    throw new RedfishError(400, [base('PropertyValueFormatError', [url.protocol, 'Destination'], ['#/Destination'])]);
  }
  return text;
}
