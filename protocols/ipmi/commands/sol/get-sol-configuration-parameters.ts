import { COMPLETION, CompletionError } from '../../message/completion-code.ts';
import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import { LAN_CHANNEL, requireLanChannel } from '../channel/channel.ts';
import type { Bmc, SessionCommand } from '../command.ts';
import { PARAMETER_COMPLETION, PARAMETER_REVISION, REVISION_ONLY } from '../configuration-parameters.ts';
import { FORCED, SOL_PARAMETER } from './sol-parameter.ts';

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
    const parameter = request.readUInt8(1);
    const read = READERS.get(parameter);
    if (read === undefined)
      throw new CompletionError(PARAMETER_COMPLETION.parameterNotSupported, `parameter ${parameter}`);
    if (request.readUInt16LE(2) !== 0) {
      throw new CompletionError(COMPLETION.invalidField, 'no parameter has sets or blocks');
    }
    return Buffer.of(PARAMETER_REVISION, ...read(bmc));
  },
};

const READERS: ReadonlyMap<number, (bmc: Bmc) => number[]> = new Map<number, (bmc: Bmc) => number[]>([
  [SOL_PARAMETER.setInProgress, ({ solConfiguration }) => [solConfiguration.setInProgress.state]],
  [
    SOL_PARAMETER.enable,
    ({ sol, solConfiguration: { parameters } }) => [sol !== undefined && parameters.enabled ? 1 : 0],
  ],
  [SOL_PARAMETER.authentication, ({ solConfiguration: { parameters } }) => [FORCED | parameters.privilege]],
  [
    SOL_PARAMETER.accumulate,
    ({ solConfiguration: { parameters } }) => [parameters.accumulateInterval, parameters.sendThreshold],
  ],
  [SOL_PARAMETER.retry, ({ solConfiguration: { parameters } }) => [parameters.retryCount, parameters.retryInterval]],
  [SOL_PARAMETER.nonVolatileBitRate, ({ solConfiguration: { parameters } }) => [parameters.nonVolatileBitRate]],
  [SOL_PARAMETER.volatileBitRate, ({ solConfiguration: { parameters } }) => [parameters.volatileBitRate]],
  [SOL_PARAMETER.channel, () => [LAN_CHANNEL]],
  [
    SOL_PARAMETER.port,
    (bmc) => {
      const port = bmc.payloadPort();
      return [port & 0xff, port >> 8];
    },
  ],
]);
