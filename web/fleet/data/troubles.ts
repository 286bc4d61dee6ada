import type { BmcStatus, Overview, Problem } from '../../../cli/status/overview.ts';
import { linkTo, type PlaceName } from '../routes.ts';

/** The problems of objects, found by the object. */
export interface Troubles {
  /** Those of one object. */
  of(kind: string, object: { namespace: string; name: string }): readonly Problem[];
  /** Those that keep a BMC from working: its own, and those of the shared agent that serves it. */
  ofBmc(bmc: BmcStatus): readonly Problem[];
}

const NONE: readonly Problem[] = [];

export function troublesIn({ problems }: Pick<Overview, 'problems'>): Troubles {
  const byObject = Map.groupBy(problems, ({ kind, namespace = '', name = '' }) => `${kind} ${namespace}/${name}`);
  const of: Troubles['of'] = (kind, { namespace, name }) => byObject.get(`${kind} ${namespace}/${name}`) ?? NONE;
  return {
    of,
    ofBmc: (bmc) => {
      const own = of('VirtualMachineBMC', bmc);
      const agent = of('StatefulSet', { namespace: bmc.namespace, name: bmc.agent });
      // A second pod that is missing is no problem of the BMC.
      return agent.length > 0 && bmc.agentState !== 'Ready' ? [...own, ...agent] : own;
    },
  };
}

/** Problems with the same reason of objects of the same kind. */
export interface ProblemGroup {
  readonly kind: string;
  readonly reason: string;
  readonly problems: readonly Problem[];
}

/** Groups problems, in the order in which the first of each appears: those that explain others come first. */
export function groupProblems(problems: readonly Problem[]): ProblemGroup[] {
  const groups = Map.groupBy(problems, ({ kind, reason }) => `${kind} ${reason}`);
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [{ kind: first.kind, reason: first.reason, problems: members }];
  });
}

/** The page that shows the object of a problem; undefined: no page does. */
export function pageOf({ kind, namespace, name }: Pick<Problem, 'kind' | 'namespace' | 'name'>): string | undefined {
  const place = PAGES[kind];
  if (place === undefined || name === undefined) return undefined;
  return place === 'agents' ? linkTo({ place }) : linkTo({ place, object: { namespace: namespace ?? '', name } });
}

const PAGES: Readonly<Record<string, PlaceName>> = {
  VirtualMachineBMC: 'bmcs',
  IPPool: 'pools',
  VirtualMachineNetworkConfig: 'networks',
  AgentRollout: 'agents',
  Deployment: 'agents',
  Lease: 'agents',
  StatefulSet: 'agents',
  ValidatingWebhookConfiguration: 'agents',
};

/** A kind in words, as in a sentence: of one object, or of several. */
export function kindWords(kind: string, count = 1): string {
  const [one, several] = WORDS[kind] ?? [kind, `${kind}s`];
  return count === 1 ? one : several;
}

/** The same as the beginning of a line. */
export function kindTitle(kind: string, count = 1): string {
  const words = kindWords(kind, count);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const WORDS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  VirtualMachineBMC: ['BMC', 'BMCs'],
  VirtualMachine: ['virtual machine', 'virtual machines'],
  IPPool: ['IP pool', 'IP pools'],
  VirtualMachineNetworkConfig: ['network config', 'network configs'],
  AgentRollout: ['roll-out', 'roll-outs'],
  StatefulSet: ['shared agent', 'shared agents'],
  Deployment: ['manager', 'managers'],
  Lease: ['leader election', 'leader elections'],
  ValidatingWebhookConfiguration: ['webhook', 'webhooks'],
  Pod: ['DHCP agent', 'DHCP agents'],
};
