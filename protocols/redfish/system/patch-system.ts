import { type Machine, MachineError, type Requester } from '../../machine/index.ts';
import { type Json, isObject } from '../json.ts';
import { labelRules, withLabels } from '../labels.ts';
import { base, RedfishError } from '../messages.ts';
import type { RedfishOptions } from '../options.ts';
import type { Patch } from '../resource.ts';
import type { RedfishSettings } from '../state.ts';
import { BOOT_RULES } from './boot.ts';
import { type BootPlan, planBoot } from './plan-boot.ts';

/** The machine's names of the policies, and Redfish's. */
export const RESTORE_POLICIES = [
  ['AlwaysOn', 'AlwaysOn'],
  ['AlwaysOff', 'AlwaysOff'],
  ['Previous', 'LastState'],
] as const;

/** PATCH of the System. Everything is checked before anything is changed. */
export function patchSystem({ machine, state, observer, legacyProperties }: RedfishOptions): Patch {
  return {
    rules: {
      kind: 'object',
      properties: {
        ...labelRules(legacyProperties()),
        Boot: BOOT_RULES,
        PowerRestorePolicy: { kind: 'word', words: RESTORE_POLICIES.map(([, word]) => word) },
      },
    },
    apply: async (changes, { requester }) => {
      const plan = planOf(changes['Boot'], machine, state.current().settings);
      const policy = RESTORE_POLICIES.find(([, word]) => word === changes['PowerRestorePolicy'])?.[0];
      if (policy !== undefined) await machine.setRestorePolicy(policy, requester);
      if (plan?.order) await machine.setBootOrder(plan.order, requester);
      if (plan?.override) await override(plan, machine, requester);
      if (plan?.mode) {
        await machine.setBootMode(plan.mode, requester);
        observer.audited(requester, `System: boot mode ${plan.mode} from the next boot on`);
      }
      const edit = (settings: RedfishSettings): RedfishSettings => withBoot(withLabels(settings, changes), plan);
      if (changesAnything(state.current().settings ?? {}, edit)) {
        await state.change((stored) => ({ settings: edit(stored.settings ?? {}) }));
      }
      // The machine reports the others.
      const labels = Object.keys(changes).filter((name) => name !== 'Boot' && name !== 'PowerRestorePolicy');
      if (labels.length > 0) observer.audited(requester, `System: ${labels.join(', ')} changed`);
      return plan?.messages;
    },
  };
}

function planOf(boot: Json | undefined, machine: Machine, settings: RedfishSettings | undefined): BootPlan | undefined {
  return isObject(boot) ? planBoot(boot, machine, settings?.boot) : undefined;
}

/** @throws RedfishError 400 if the machine does not support it */
async function override(
  { override: change, settings }: BootPlan,
  machine: Machine,
  requester: Requester,
): Promise<void> {
  try {
    await machine.setBootOverride(change?.to, requester);
  } catch (error) {
    if (!(error instanceof MachineError) || error.code !== 'NotSupported') throw error;
    const property = 'BootSourceOverrideTarget';
    const message = base('PropertyValueNotInList', [settings.target, property], [`#/Boot/${property}`]);
    throw new RedfishError(400, [{ ...message, Resolution: error.message }]);
  }
}

function withBoot(settings: RedfishSettings, plan: BootPlan | undefined): RedfishSettings {
  if (plan === undefined) return settings;
  const { boot: _before, ...rest } = settings;
  return plan.stored === undefined ? rest : { ...rest, boot: plan.stored };
}

/** Avoids unnecessary writes: clients PATCH the boot override before each boot. */
function changesAnything(settings: RedfishSettings, edit: (settings: RedfishSettings) => RedfishSettings): boolean {
  return JSON.stringify(edit(settings)) !== JSON.stringify(settings);
}
