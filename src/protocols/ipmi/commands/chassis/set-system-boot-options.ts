import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand, SessionCommandContext } from '../command.ts';
import { BOOT_FLAGS_LENGTH } from './boot-flags.ts';
import { BOOT_COMPLETION, BOOT_PARAMETER, PARAMETER_LOCKED, PARAMETER_MASK } from './boot-parameter.ts';

const SET_COMPLETE = 0;
const SET_IN_PROGRESS = 1;
/** Writes take effect at once, so there is nothing to commit; ipmitool asks for it all the same. */
const COMMIT_WRITE = 2;

/** Longest data of any parameter, behind the selector. */
const MAX_DATA = BOOT_FLAGS_LENGTH;

/** Set System Boot Options, IPMI 2.0 §28.12. With a selector alone it sets or takes off the parameter's lock mark. */
export const setSystemBootOptions: SessionCommand = {
  name: 'Set System Boot Options',
  netFn: NET_FN.chassis,
  command: 0x08,
  privilege: PRIVILEGE.operator,
  requestLength: [1, 1 + MAX_DATA],
  repeatable: false,
  handle: async (request, context) => {
    const selector = request.readUInt8(0);
    const parameter = selector & PARAMETER_MASK;
    const data = request.subarray(1);
    const setter = SETTERS.get(parameter);
    if (setter === undefined) {
      throw new CompletionError(BOOT_COMPLETION.parameterNotSupported, `boot option parameter ${parameter}`);
    }
    if (data.length > 0) {
      if (data.length !== setter.length) {
        throw new CompletionError(COMPLETION.invalidLength, `parameter ${parameter} has ${setter.length} bytes`);
      }
      await setter.set(data, context);
    }
    context.bmc.bootOptions.setLocked(parameter, (selector & PARAMETER_LOCKED) !== 0);
    return Buffer.alloc(0);
  },
};

interface Setter {
  length: number;
  set(data: Buffer, context: SessionCommandContext): void | Promise<void>;
}

const SETTERS: ReadonlyMap<number, Setter> = new Map<number, Setter>([
  [BOOT_PARAMETER.setInProgress, { length: 1, set: setInProgress }],
  [
    BOOT_PARAMETER.validBitClearing,
    {
      length: 1,
      set: (data, { bmc }) => {
        bmc.bootOptions.validBitClearing = data.readUInt8(0) & 0x1f;
      },
    },
  ],
  [
    BOOT_PARAMETER.acknowledge,
    {
      length: 2,
      set: (data, { bmc: { bootOptions } }) => {
        const mask = data.readUInt8(0);
        bootOptions.acknowledge = (bootOptions.acknowledge & ~mask) | (data.readUInt8(1) & mask);
      },
    },
  ],
  [
    BOOT_PARAMETER.bootFlags,
    {
      length: BOOT_FLAGS_LENGTH,
      set: (data, { bmc, requester }) => bmc.bootOptions.setFlags(data, requester),
    },
  ],
]);

function setInProgress(data: Buffer, { bmc: { bootOptions }, session }: SessionCommandContext): void {
  const state = data.readUInt8(0);
  switch (state) {
    case SET_COMPLETE:
      bootOptions.writer = undefined;
      return;
    case SET_IN_PROGRESS:
      if (bootOptions.writer !== undefined && bootOptions.writer !== session) {
        throw new CompletionError(BOOT_COMPLETION.setInProgress, 'another session is setting boot options');
      }
      bootOptions.writer = session;
      return;
    case COMMIT_WRITE:
      return;
    default:
      throw new CompletionError(COMPLETION.invalidField, `set in progress ${state}`);
  }
}
