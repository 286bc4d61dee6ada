import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { LAN_CHANNEL } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { BODY_LENGTH, RECORD_TYPE } from './sel-record.ts';

/** Event message revisions of IPMI 1.0 and of 1.5 and 2.0. */
const REVISIONS = [0x03, 0x04];
/** Generator of LAN clients: remote console software and its channel. */
const GENERATOR = [0x81, LAN_CHANNEL << 4];
const UNSPECIFIED = 0xff;

/** Platform Event, IPMI 2.0 §29.3: an event from a client, stored as if a sensor had sent it. */
export const platformEvent: SessionCommand = {
  name: 'Platform Event',
  netFn: NET_FN.sensor,
  command: 0x02,
  privilege: PRIVILEGE.operator,
  requestLength: [5, 7],
  repeatable: false,
  handle: (request, { bmc, requester }) => {
    const revision = request.readUInt8(0);
    if (!REVISIONS.includes(revision)) throw new CompletionError(COMPLETION.invalidField, `EvMRev ${revision}`);
    const body = Buffer.alloc(BODY_LENGTH, UNSPECIFIED);
    body.fill(0, 0, 4);
    body.set([...GENERATOR, ...request], 4);
    bmc.machine.log.append({ kind: 'Record', type: RECORD_TYPE.systemEvent, body: body.toString('hex'), requester });
  },
};
