import { NET_FN } from '../../message/net-fn.ts';
import { PRIVILEGE } from '../../message/privilege.ts';
import type { SessionCommand } from '../command.ts';
import { refreshed } from '../refreshed.ts';
import { acpiPowerState } from './acpi-power-state.ts';

/** Get ACPI Power State, IPMI 2.0 §20.7: system and device state. */
export const getAcpiPowerState: SessionCommand = {
  name: 'Get ACPI Power State',
  netFn: NET_FN.app,
  command: 0x07,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) =>
    refreshed(bmc.machine, () => {
      const { system, device } = acpiPowerState(bmc.machine);
      return Buffer.of(system, device);
    }),
};
