import { COMPLETION, CompletionError, NET_FN, PRIVILEGE, privilegeOf } from '../../message/codes.ts';
import type { SolParameters } from '../../sol/sol-configuration.ts';
import { LAN_CHANNEL, requireLanChannel } from '../channel/channel.ts';
import type { Bmc, SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION, PARAMETER_REVISION, parameterAt, REVISION_ONLY } from '../configuration-parameters.ts';
import { endForbiddenSol } from './payload.ts';

/** Selectors of the SOL configuration parameters, IPMI 2.0 table 26-5. */
const SOL_PARAMETER = {
  setInProgress: 0,
  enable: 1,
  authentication: 2,
  accumulate: 3,
  retry: 4,
  nonVolatileBitRate: 5,
  volatileBitRate: 6,
  channel: 7,
  port: 8,
} as const;

/** Bits 7:6 of the authentication parameter: encryption and authentication are always forced. */
const FORCED = 0xc0;

/** Get SOL Configuration Parameters, IPMI 2.0 §26.3. */
export const getSolConfigurationParameters: SessionCommand = {
  name: 'Get SOL Configuration Parameters',
  netFn: NET_FN.transport,
  command: 0x22,
  privilege: PRIVILEGE.user,
  requestLength: [4, 4],
  repeatable: true,
  handle: (request, { bmc }) => {
    const channel = request.readUInt8(0);
    requireLanChannel(channel);
    if ((channel & REVISION_ONLY) !== 0) return Buffer.of(PARAMETER_REVISION);
    const read = parameterAt(READERS, request.readUInt8(1));
    if (request.readUInt16LE(2) !== 0) {
      throw new CompletionError(COMPLETION.invalidField, 'set selector and block selector must be 0');
    }
    return Buffer.of(PARAMETER_REVISION, ...read(bmc));
  },
};

const READERS: Readonly<Record<number, (bmc: Bmc) => number[]>> = {
  [SOL_PARAMETER.setInProgress]: ({ solConfiguration }) => [solConfiguration.setInProgress.state],
  [SOL_PARAMETER.enable]: ({ sol, solConfiguration: { parameters } }) => [
    sol !== undefined && parameters.enabled ? 1 : 0,
  ],
  [SOL_PARAMETER.authentication]: ({ solConfiguration: { parameters } }) => [FORCED | parameters.privilege],
  [SOL_PARAMETER.accumulate]: ({ solConfiguration: { parameters } }) => [
    parameters.accumulateInterval,
    parameters.sendThreshold,
  ],
  [SOL_PARAMETER.retry]: ({ solConfiguration: { parameters } }) => [parameters.retryCount, parameters.retryInterval],
  [SOL_PARAMETER.nonVolatileBitRate]: ({ solConfiguration: { parameters } }) => [parameters.nonVolatileBitRate],
  [SOL_PARAMETER.volatileBitRate]: ({ solConfiguration: { parameters } }) => [parameters.volatileBitRate],
  [SOL_PARAMETER.channel]: () => [LAN_CHANNEL],
  [SOL_PARAMETER.port]: (bmc) => {
    const port = bmc.payloadPort();
    return [port & 0xff, port >> 8];
  },
};

/** Set SOL Configuration Parameters, IPMI 2.0 §26.2. Changes apply to the next activation; disabling ends SOL at once. */
export const setSolConfigurationParameters: SessionCommand = {
  name: 'Set SOL Configuration Parameters',
  netFn: NET_FN.transport,
  command: 0x21,
  privilege: PRIVILEGE.administrator,
  requestLength: [3, 4],
  repeatable: true,
  handle: async (request, context) => {
    requireLanChannel(request.readUInt8(0));
    const parameter = request.readUInt8(1);
    const data = request.subarray(2);
    if (READ_ONLY.has(parameter)) throw new CompletionError(PARAMETER_COMPLETION.readOnly, `parameter ${parameter}`);
    if (parameter === SOL_PARAMETER.setInProgress) {
      context.bmc.solConfiguration.setInProgress.write(data, context.session);
      return;
    }
    const setter = parameterAt(SETTERS, parameter);
    requireLength(data, setter.length);
    await context.bmc.solConfiguration.change(setter.read(data));
    endForbiddenSol(context.bmc);
  },
};

/** Channel and UDP port of the clients are fixed. */
const READ_ONLY: ReadonlySet<number> = new Set([SOL_PARAMETER.channel, SOL_PARAMETER.port]);

/** The rate of the serial channel; 9,600 to 115,200 bit/s. */
const BIT_RATES: readonly number[] = [0, 6, 7, 8, 9, 10];
const BIT_RATE_MASK = 0x0f;

interface Setter {
  length: number;
  /** @throws CompletionError 0xCC */
  read(data: Buffer): Partial<SolParameters>;
}

const SETTERS: Readonly<Record<number, Setter>> = {
  [SOL_PARAMETER.enable]: { length: 1, read: (data) => ({ enabled: (data.readUInt8(0) & 1) === 1 }) },
  [SOL_PARAMETER.authentication]: { length: 1, read: readAuthentication },
  [SOL_PARAMETER.accumulate]: {
    length: 2,
    read: (data) => ({
      accumulateInterval: positive(data.readUInt8(0), 'accumulate interval'),
      sendThreshold: positive(data.readUInt8(1), 'send threshold'),
    }),
  },
  [SOL_PARAMETER.retry]: {
    length: 2,
    read: (data) => ({
      retryCount: data.readUInt8(0) & 0x07,
      retryInterval: positive(data.readUInt8(1), 'retry interval'),
    }),
  },
  [SOL_PARAMETER.nonVolatileBitRate]: { length: 1, read: (data) => ({ nonVolatileBitRate: readBitRate(data) }) },
  [SOL_PARAMETER.volatileBitRate]: { length: 1, read: (data) => ({ volatileBitRate: readBitRate(data) }) },
};

function readAuthentication(data: Buffer): Partial<SolParameters> {
  const byte = data.readUInt8(0);
  const privilege = privilegeOf(byte & 0x0f);
  if ((byte & FORCED) !== FORCED || privilege === undefined || privilege < PRIVILEGE.user) {
    throw new CompletionError(
      COMPLETION.invalidField,
      'encryption cannot be disabled, and the privilege level must be 2 to 4',
    );
  }
  return { privilege };
}

/** Stored without effect: guides to SOL start with the bit rate. */
function readBitRate(data: Buffer): number {
  const rate = data.readUInt8(0) & BIT_RATE_MASK;
  if (!BIT_RATES.includes(rate)) throw new CompletionError(COMPLETION.invalidField, `bit rate ${rate}`);
  return rate;
}

function requireLength(data: Buffer, length: number): void {
  if (data.length !== length) throw new CompletionError(COMPLETION.invalidLength, `the parameter has ${length} bytes`);
}

function positive(value: number, name: string): number {
  if (value === 0) throw new CompletionError(COMPLETION.invalidField, `${name} must not be 0`);
  return value;
}
