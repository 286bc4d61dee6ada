import { PRIVILEGE } from '../../message/privilege.ts';
import type { Bmc } from '../command.ts';
import { dcmiCommand } from './dcmi-command.ts';
import { MAX_PART, readText, writeText } from './dcmi-text.ts';

/** Bytes, including the terminating NUL. */
const MAX_CONTROLLER_ID = 64;

/** Get Management Controller Identifier String, DCMI 1.5 §6.4.6: the value written by a client, or else the machine's name. */
export const getControllerId = dcmiCommand({
  name: 'Get Management Controller Identifier String',
  command: 0x09,
  privilege: PRIVILEGE.user,
  requestLength: [2, 2],
  repeatable: true,
  handle: (request, { bmc }) => readText(controllerIdOf(bmc), request),
});

/** Set Management Controller Identifier String, DCMI 1.5 §6.4.6. */
export const setControllerId = dcmiCommand({
  name: 'Set Management Controller Identifier String',
  command: 0x0a,
  privilege: PRIVILEGE.administrator,
  requestLength: [2, 2 + MAX_PART],
  repeatable: false,
  handle: async (request, { bmc }) => {
    const text = writeText(controllerIdOf(bmc), request, MAX_CONTROLLER_ID);
    await bmc.settings.change(({ dcmi }) => ({ dcmi: { ...dcmi, controllerId: text.toString('latin1') } }));
    return Buffer.of(text.length);
  },
});

function controllerIdOf({ machine, settings }: Bmc): Buffer {
  const kept = settings.current().dcmi?.controllerId;
  if (kept !== undefined) return Buffer.from(kept, 'latin1');
  const name = Buffer.from(machine.identity().name).subarray(0, MAX_CONTROLLER_ID - 1);
  return Buffer.concat([name, Buffer.of(0)]);
}
