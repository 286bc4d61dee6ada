import type { Deployment, Lease } from '@groundcrew/controller-runtime';
import { LABELS } from '../../api/index.ts';
import type { Inputs } from './inputs.ts';
import type { ManagerStatus, Problem } from './overview.ts';
import { inOrder } from './overview-order.ts';
import { podState } from './pod-state.ts';
import { age, type Trouble } from './problem.ts';
import type { WebhookFact } from './probe-webhook.ts';

interface Installation {
  namespace: string;
  deployment: Deployment | undefined;
  election: Lease | undefined;
  webhook: WebhookFact | undefined;
}

export function evaluateManagers(inputs: Inputs): ManagerStatus[] {
  const rows = installationsOf(inputs).map(({ namespace, deployment, election, webhook }): ManagerStatus => ({
    namespace,
    deployment: deployment?.metadata.name ?? '-',
    ready:
      deployment === undefined
        ? '-'
        : `${managerPods(inputs, namespace).filter((pod) => podState(pod, () => inputs.now).word === 'Ready').length}/${deployment.spec?.replicas ?? 1}`,
    leader: election?.spec?.holderIdentity || '-',
    ...(election?.spec?.renewTime === undefined ? {} : { renewed: election.spec.renewTime }),
    webhook: webhook?.answer ?? (isUnread(inputs, 'ValidatingWebhookConfiguration') ? '?' : 'none'),
  }));
  return inOrder('managers', rows);
}

/** What keeps managers from working. */
export function managerProblems(inputs: Inputs): Problem[] {
  const installations = installationsOf(inputs);
  const isSeen = ['Lease', 'Deployment'].every((kind) => !isUnread(inputs, kind));
  if (installations.length === 0 && isSeen) {
    return [
      {
        ...{ kind: 'Deployment', name: 'groundcrew-manager', reason: 'NoManager' },
        what: 'No manager was found: there is no Deployment, no Lease and no webhook of one. Nothing is reconciled.',
        todo: 'Install or start it: helm upgrade --install groundcrew charts/groundcrew -n groundcrew-system',
      },
    ];
  }
  return installations.flatMap((one) => [
    ...deploymentProblems(one, inputs),
    ...electionProblems(one, inputs),
    ...webhookProblems(one, inputs),
  ]);
}

function deploymentProblems({ namespace, deployment }: Installation, inputs: Inputs): Problem[] {
  if (deployment === undefined) return [];
  const { name } = deployment.metadata;
  const of = (trouble: Trouble): Problem => ({ kind: 'Deployment', namespace, name, ...trouble });
  if (deployment.spec?.replicas === 0)
    return [
      of({
        reason: 'ScaledToZero',
        what: 'No manager runs: its Deployment is scaled to 0. Nothing is reconciled.',
        todo: `kubectl scale -n ${namespace} deployment ${name} --replicas=1`,
      }),
    ];
  if (isUnread(inputs, 'Pod')) return [];
  const states = managerPods(inputs, namespace).map((pod) => podState(pod, () => inputs.now));
  if (states.length === 0) {
    const failure = failureOf(deployment);
    return [
      of({
        reason: 'NoPod',
        what: `No manager runs: ${failure ?? 'its Deployment has no pod'}.`,
        todo: `kubectl describe deployment -n ${namespace} ${name}`,
      }),
    ];
  }
  const serves = states.some(({ word }) => word === 'Ready');
  const troubles = states.flatMap(({ trouble, isMinor }) =>
    trouble === undefined || (isMinor === true && serves) ? [] : [of(trouble)],
  );
  // A script that waits for an installation must not take the first seconds for a success.
  if (!serves && troubles.length === 0)
    return [
      of({ reason: 'Starting', what: 'No manager is ready yet. Nothing is reconciled.', todo: 'Wait a moment.' }),
    ];
  return troubles;
}

/** Milliseconds that a change of leaders takes at most, besides the duration of the Lease. */
const CHANGE = 10_000;

function electionProblems({ namespace, deployment, election }: Installation, { now, ...inputs }: Inputs): Problem[] {
  const of = (trouble: Trouble): Problem[] => [{ kind: 'Lease', namespace, name: 'groundcrew-manager', ...trouble }];
  const runs = inputs.pods.some(
    (pod) => pod.metadata.namespace === namespace && isManager(pod) && podState(pod, () => now).word === 'Ready',
  );
  const todo =
    deployment === undefined
      ? `Start the manager. If Groundcrew is uninstalled: kubectl delete lease -n ${namespace} groundcrew-manager`
      : `See its pods: kubectl get pods -n ${namespace} -l ${LABELS.component}=manager; and their log.`;
  if (election === undefined) {
    const isElecting = runs && !inputs.unread.some(({ kind }) => kind === 'Lease');
    if (!isElecting) return [];
    return of({ reason: 'NoLeader', what: 'No manager leads: there is no Lease. Nothing is reconciled.', todo });
  }
  const { holderIdentity, renewTime, leaseDurationSeconds = 15 } = election.spec ?? {};
  const silent = now - Date.parse(renewTime ?? '');
  if (!(silent > leaseDurationSeconds * 1000 + CHANGE)) return [];
  const who = holderIdentity ? `${holderIdentity} renewed its Lease last` : 'the last one released its Lease';
  const what = `No manager leads: ${who} ${age(silent)} ago. Nothing is reconciled, and what the status of other objects says is ${age(silent)} old.`;
  return of({ reason: 'NoLeader', what, todo });
}

function webhookProblems({ namespace, deployment, webhook }: Installation, inputs: Inputs): Problem[] {
  const name = webhook?.configuration ?? `webhook-groundcrew-${namespace}`;
  const of = (trouble: Trouble): Problem[] => [{ kind: 'ValidatingWebhookConfiguration', name, ...trouble }];
  const way = `Service, NetworkPolicies, and the manager's log: the API server connects to port 9443 of its pods.`;
  if (webhook === undefined) {
    const isWanted =
      deployment !== undefined && argumentsOf(deployment).some((one) => /^--admission-address=./.test(one));
    if (!isWanted || isUnread(inputs, 'ValidatingWebhookConfiguration')) return [];
    const what = 'The webhook configuration is missing: pools, network configs and BMCs are not checked.';
    return of({
      reason: 'WebhookMissing',
      what,
      todo: 'The leading manager writes it within 10 minutes; its log says why not.',
    });
  }
  if (webhook.answer === 'fails') {
    const what = `The API server does not reach the webhook: ${webhook.message}. Pools cannot be written.`;
    return of({ reason: 'WebhookUnreachable', what, todo: `See ${way}` });
  }
  if (webhook.answer !== 'unasked') return [];
  const what = `The API server does not ask the webhook: ${webhook.message}.`;
  return of({
    reason: 'WebhookNotAsked',
    what,
    todo: `Delete the configuration; the manager writes it again: kubectl delete validatingwebhookconfiguration ${name}`,
  });
}

/** The managers, by namespace, from whatever exists of each. */
function installationsOf({ deployments, elections, webhooks }: Inputs): Installation[] {
  const managers = deployments.filter(isManager);
  const namespaces = new Set([
    ...managers.map(({ metadata }) => metadata.namespace ?? ''),
    ...elections.map(({ metadata }) => metadata.namespace ?? ''),
    ...webhooks.map(({ namespace }) => namespace),
  ]);
  return [...namespaces].toSorted().map((namespace) => ({
    namespace,
    deployment: managers.find(({ metadata }) => metadata.namespace === namespace),
    election: elections.find(({ metadata }) => metadata.namespace === namespace),
    webhook: webhooks.find((one) => one.namespace === namespace),
  }));
}

function managerPods({ pods }: Inputs, namespace: string): Inputs['pods'] {
  return pods.filter((pod) => pod.metadata.namespace === namespace && isManager(pod));
}

/** Other products label their managers in the same way, so the arguments decide. */
function isManager(object: Inputs['deployments'][number] | Inputs['pods'][number]): boolean {
  return (
    object.metadata.labels?.[LABELS.component] === 'manager' &&
    argumentsOf(object).some((one) => one.startsWith('--agent-image='))
  );
}

function argumentsOf({ spec }: Inputs['deployments'][number] | Inputs['pods'][number]): string[] {
  const pod = spec !== undefined && 'template' in spec ? spec.template.spec : spec;
  return pod !== undefined && 'containers' in pod ? pod.containers.flatMap(({ args = [] }) => args) : [];
}

/** Why a Deployment cannot make its pods. */
export function failureOf({ status }: Deployment): string | undefined {
  const failure = status?.conditions?.find((one) => one.type === 'ReplicaFailure' && one.status === 'True');
  return failure && `its pod cannot be made: ${failure.message ?? failure.reason ?? ''}`;
}

export function isUnread({ unread }: Pick<Inputs, 'unread'>, kind: string): boolean {
  return unread.some((one) => one.kind === kind);
}
