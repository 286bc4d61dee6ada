import { COMPLETION, CompletionError, NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';
import { requireLanChannel } from './channel.ts';

const OPERATION_MASK = 0x03;
const READ = 0;
const SET = 1;
const LOCK = 2;
const K_R = 0;
const K_G = 1;

const LOCKED = 0x01;
const KEY_IS_LOCKED = 0x80;
const K_R_NOT_USED = 0x84;

/**
 * Set Channel Security Keys, IPMI 2.0 §22.25. Only the owner of the BMC sets K_G, and no client can read it: the key is locked, as
 * the specification allows.
 */
export const setChannelSecurityKeys: SessionCommand = {
  name: 'Set Channel Security Keys',
  netFn: NET_FN.app,
  command: 0x56,
  privilege: PRIVILEGE.administrator,
  requestLength: [3, 23],
  repeatable: true,
  handle: (request) => {
    requireLanChannel(request.readUInt8(0));
    const operation = request.readUInt8(1) & OPERATION_MASK;
    const key = request.readUInt8(2);
    if (key === K_R) throw new CompletionError(K_R_NOT_USED, 'K_R is not supported: the password is used instead');
    if (key !== K_G || (operation !== READ && operation !== SET && operation !== LOCK)) {
      throw new CompletionError(COMPLETION.invalidField, 'no such key or operation');
    }
    if (operation !== LOCK)
      throw new CompletionError(KEY_IS_LOCKED, 'K_G is locked: only the owner of the BMC can change it');
    return Buffer.of(LOCKED);
  },
};
