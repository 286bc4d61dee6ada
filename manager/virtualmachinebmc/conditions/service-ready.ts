import type { Service } from '@groundcrew/controller-runtime';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import type { Inputs } from '../inputs.ts';
import { routeOf } from '../route.ts';
import { noRoom } from './shared-agent.ts';
import { isSecondElsewhere } from './virtual-machine.ts';
import { firstOf, inTheWay, refused, REASONS, type Check } from './condition-result.ts';

/** Whether the BMC has the address of its Service's type. */
export function serviceReady(inputs: Inputs): ConditionResult {
  const checks: Check[] = [
    isSecondElsewhere,
    (given) => inTheWay(given, ['service']),
    (given) => refused(given, ['service']),
    withoutRoom,
    notMade,
    withoutClusterIp,
    withoutNodePort,
    withoutLoadBalancer,
  ];
  return firstOf(
    checks,
    inputs,
    holds(REASONS.serviceReady, `Service ${serviceOf(inputs)?.metadata.name ?? ''} has its address.`),
  );
}

/** The BMC's own Service, if it exists. */
export function serviceOf({ children: { service } }: Inputs): Service | undefined {
  return service.standing === 'Ours' ? service.object : undefined;
}

/** Without a slot the Service would lead nowhere. */
const withoutRoom: Check = (inputs) => (routeOf(inputs) === undefined ? noRoom(inputs) : undefined);

const notMade: Check = (inputs) =>
  serviceOf(inputs) === undefined ? notReady('The Service is being made.') : undefined;

const withoutClusterIp: Check = (inputs) =>
  (serviceOf(inputs)?.spec?.clusterIP ?? '') === '' ? notReady('The Service has no cluster IP yet.') : undefined;

const withoutNodePort: Check = (inputs) => {
  const spec = serviceOf(inputs)?.spec;
  const isMissing = spec?.type === 'NodePort' && (spec.ports ?? []).some(({ nodePort }) => (nodePort ?? 0) === 0);
  return isMissing ? notReady('The Service has no node port yet.') : undefined;
};

const withoutLoadBalancer: Check = (inputs) => {
  const service = serviceOf(inputs);
  if (service?.spec?.type !== 'LoadBalancer' || (service.status?.loadBalancer?.ingress ?? []).length > 0)
    return undefined;
  return notReady(
    `Service ${service.metadata.name} has been given no load balancer address yet. If this stays, see whether a load ` +
      'balancer controller runs and knows spec.service.loadBalancerClass.',
  );
};

function notReady(message: string): ConditionResult {
  return holdsNot(REASONS.serviceNotReady, message);
}
