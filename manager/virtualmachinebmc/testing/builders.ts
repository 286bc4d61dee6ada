import { BMC_DEFAULTS, type VirtualMachineBMC, type VirtualMachineBMCSpec } from '../../../api/index.ts';
import type { Deployment, Draft, KubeObject, Pod, Service } from '@groundcrew/controller-runtime';
import { APPLIED_ANNOTATION, TEMPLATE_HASH_ANNOTATION } from '../../bmc-agent/index.ts';
import { CHILD_NAMES, childDrafts, type ChildObjects } from '../children/children.ts';
import { AGENT_CONTAINER, digest, stamped, type AgentSettings } from '../../agent-workload/index.ts';
import { chooseDraft, type Turn } from '../../rollout/index.ts';
import { deployment } from '../children/deployment.ts';
import type { CertificateFact, ChildInputs, Inputs } from '../inputs.ts';

export interface BmcFields extends Partial<VirtualMachineBMCSpec> {
  name?: string;
  uid?: string;
  created?: string;
  generation?: number;
  vm?: string;
  status?: VirtualMachineBMC['status'];
}

/** A VirtualMachineBMC `vms/web-bmc` of the VM `web`; the fields override it. */
export function aBmc(fields: BmcFields = {}): VirtualMachineBMC {
  const {
    name = 'web-bmc',
    vm = 'web',
    created = '2026-01-01T00:00:00Z',
    generation = 1,
    status,
    uid,
    ...spec
  } = fields;
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: {
      name,
      namespace: 'vms',
      uid: uid ?? `uid-of-${name}`,
      generation,
      creationTimestamp: created,
      resourceVersion: '1',
    },
    spec: { virtualMachineRef: { name: vm }, authSecretRef: { name: 'creds' }, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

export const IMAGE = 'registry.example/groundcrew:1';

/** Inputs of a Ready BMC; `given` overrides them. */
export function inputs(given: Partial<Inputs> = {}): Inputs {
  const bmc = given.bmc ?? aBmc({ status: { phase: 'Ready', agent: { name: 'agent-1', observedGeneration: 1 } } });
  return {
    bmc,
    claimants: [bmc],
    virtualMachine: 'Found',
    formerMachines: [],
    secret: secret('admin', 'secret'),
    certificate: certificate(),
    children: children(bmc),
    placement: { wanted: 'Dedicated', assignment: undefined, agent: undefined, isTold: false },
    strays: [],
    pods: [aPod('agent-1', bmc)],
    defaults: { image: IMAGE },
    turn: openTurn({ image: IMAGE, ...given.defaults }),
    bmcDefaults: BMC_DEFAULTS,
    refusals: [],
    isContested: false,
    ...given,
  };
}

/** The turn of an agent that may be updated at any time; the revision is the image. */
export function openTurn(settings: AgentSettings): Turn {
  const target = { name: settings.image, settings };
  return { target, fresh: target, wave: 1, attempt: 1, known: () => undefined };
}

/** An issued certificate; `given` overrides it. */
export function certificate(given: Partial<CertificateFact> = {}): CertificateFact {
  return {
    held: { standing: 'Ours', uid: 'uid-of-certificate', data: { 'tls.crt': '', 'tls.key': '' } },
    authority: undefined,
    names: [],
    clusterDomain: 'cluster.local',
    allowedDNSSuffixes: [],
    ...given,
  };
}

/** Inputs of a BMC whose Service has this spec and status. */
export function withService(spec: Service['spec'], status: Service['status']): Inputs {
  const bmc = aBmc({ status: { agent: { name: 'agent-1' } } });
  const metadata = { name: 'web-virtbmc', namespace: 'vms' };
  const object = { apiVersion: 'v1', kind: 'Service', metadata, spec, status } as Service;
  return inputs({ bmc, children: { ...children(bmc), service: { standing: 'Ours', object } } });
}

/** An existing named Secret with these credentials. */
export function secret(username: string, password: string): Inputs['secret'] {
  const data = { username: base64(username), password: base64(password) };
  return { name: 'creds', generated: false, state: 'Found', data };
}

/** The children after being applied and rolled out. */
export function children(bmc: VirtualMachineBMC): ChildInputs {
  const drafts = { ...childDrafts(bmc, { image: IMAGE }), deployment: appliedDeployment(bmc) };
  const inputs = Object.fromEntries(
    CHILD_NAMES.map((child) => [
      child,
      { standing: 'Ours', object: stamped<KubeObject>(drafts[child], APPLIED_ANNOTATION) },
    ]),
  ) as unknown as { [K in keyof ChildObjects]: { standing: 'Ours'; object: ChildObjects[K] } }; // the drafts are complete
  return {
    ...inputs,
    service: { standing: 'Ours', object: withClusterIp(inputs.service.object) },
    deployment: { standing: 'Ours', object: rolledOut(inputs.deployment.object) },
  };
}

/** A Ready pod with the current template of the BMC's Deployment. */
export function aPod(
  name: string,
  bmc: VirtualMachineBMC,
  fields: { ready?: boolean; hash?: string; created?: string } = {},
): Pod {
  const { template } = deployment(bmc, { image: IMAGE }).spec ?? {};
  const newest = template?.metadata?.annotations?.[TEMPLATE_HASH_ANNOTATION] ?? '';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'vms',
      creationTimestamp: fields.created ?? '2026-01-01T00:00:00Z',
      annotations: { [TEMPLATE_HASH_ANNOTATION]: fields.hash ?? newest },
    },
    spec: { containers: [{ name: AGENT_CONTAINER, image: IMAGE }] },
    status: { hostIP: '10.0.0.5', conditions: [{ type: 'Ready', status: fields.ready === false ? 'False' : 'True' }] },
  };
}

/** The pod with its container running. */
export function running(pod: Pod): Pod {
  const state = { running: { startedAt: '2026-01-01T00:00:01Z' } };
  const status = { name: AGENT_CONTAINER, image: IMAGE, imageID: '', ready: false, restartCount: 0, state };
  return { ...pod, status: { ...pod.status, containerStatuses: [status] } };
}

function appliedDeployment(bmc: VirtualMachineBMC): Draft<Deployment> {
  const render = (settings: AgentSettings) => deployment(bmc, settings);
  const own = digest(bmc.spec.agent ?? {});
  const agent = { existing: undefined, hashAnnotation: TEMPLATE_HASH_ANNOTATION, own, pods: [], render };
  return chooseDraft(agent, openTurn({ image: IMAGE }), '2026-01-01T00:00:00Z') ?? render({ image: IMAGE });
}

function withClusterIp(service: Service): Service {
  return { ...service, spec: { ...service.spec, clusterIP: '10.43.7.9' } };
}

function rolledOut(deployment: Deployment): Deployment {
  const metadata = { ...deployment.metadata, generation: 1 };
  return { ...deployment, metadata, status: { observedGeneration: 1, updatedReplicas: 1, readyReplicas: 1 } };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
