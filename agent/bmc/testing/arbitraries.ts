import fc from 'fast-check';
import { POWER_ACTIONS, type LogEntry, type MachineEvent, type Requester } from '../../../protocols/machine/index.ts';

/** Texts of clients: long ones, quotes, control characters, other scripts and broken surrogates. */
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 200 }), fc.constant('\ud800\n"\u2028'));

const requester: fc.Arbitrary<Requester> = fc.record({
  protocol: fc.constantFrom('IPMI', 'Redfish'),
  user: text,
  address: text,
});

const outcome = fc.constantFrom('Accepted', 'Refused', 'Unknown');
const byte = fc.nat(255);

/** Events of every kind. */
const event: fc.Arbitrary<MachineEvent> = fc.oneof(
  fc.record({ kind: fc.constant('PowerState'), state: fc.constantFrom('On', 'Off') }),
  fc.record({
    kind: fc.constant('PowerAction'),
    action: fc.constantFrom(...POWER_ACTIONS),
    outcome,
    requester,
  }),
  fc.record({ kind: fc.constant('BootOverride'), target: fc.option(text, { nil: undefined }), outcome, requester }),
  fc.record({ kind: fc.constant('BootOrder'), order: fc.option(text, { nil: undefined }), outcome, requester }),
  fc.record({ kind: fc.constant('BootOverrideEnded'), why: fc.constantFrom('Booted', 'Lapsed', 'Dropped') }),
  fc.record(
    { kind: fc.constant('Media'), change: fc.constantFrom('Inserted', 'Ejected'), slot: text, requester },
    { requiredKeys: ['kind', 'change', 'slot'] },
  ),
  fc.record({
    kind: fc.constant('LoginFailed'),
    requester,
    why: fc.constantFrom('UnknownUser', 'WrongPassword', 'LockedOut', 'Refused'),
  }),
  fc.record({
    kind: fc.constant('Watchdog'),
    action: fc.constantFrom('None', 'Reset', 'PowerDown', 'PowerCycle'),
    use: byte,
  }),
  fc.record({ kind: fc.constant('AccountChanged'), account: text, requester }),
  fc.record({ kind: fc.constant('Cleared'), requester }),
  fc.record({
    kind: fc.constant('Record'),
    type: byte,
    body: fc.uint8Array({ maxLength: 13 }).map((bytes) => Buffer.from(bytes).toString('hex')),
    requester,
  }),
); // fast-check widens the constants

export const entry: fc.Arbitrary<LogEntry> = fc.record({
  id: fc.integer({ min: 1, max: 2 ** 40 }),
  at: fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }),
  event,
});
