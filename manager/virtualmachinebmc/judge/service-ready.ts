import type { Service } from '@groundcrew/controller-runtime';
import type { Facts } from '../facts.ts';
import { isSecondElsewhere } from './claim.ts';
import { firstOf, type Check, type Finding } from './finding.ts';
import { inTheWay, refused } from './ownership.ts';
import { REASONS } from './reasons.ts';

/** Whether the BMC has the address that its Service's type promises. */
export function serviceReady(facts: Facts): Finding {
  const checks: Check[] = [
    isSecondElsewhere,
    (given) => inTheWay(given, ['service']),
    (given) => refused(given, ['service']),
    notMade,
    withoutClusterIp,
    withoutNodePort,
    withoutLoadBalancer,
  ];
  return firstOf(checks, facts, {
    status: 'True',
    reason: REASONS.serviceReady,
    message: `Service ${serviceOf(facts)?.metadata.name ?? ''} has its address.`,
  });
}

/** The BMC's own Service, where it is there. */
export function serviceOf({ children: { service } }: Facts): Service | undefined {
  return service.standing === 'Ours' ? service.object : undefined;
}

const notMade: Check = (facts) => (serviceOf(facts) === undefined ? notReady('The Service is being made.') : undefined);

const withoutClusterIp: Check = (facts) =>
  (serviceOf(facts)?.spec?.clusterIP ?? '') === '' ? notReady('The Service has no cluster IP yet.') : undefined;

const withoutNodePort: Check = (facts) => {
  const spec = serviceOf(facts)?.spec;
  const isMissing = spec?.type === 'NodePort' && (spec.ports ?? []).some(({ nodePort }) => (nodePort ?? 0) === 0);
  return isMissing ? notReady('The Service has no node port yet.') : undefined;
};

const withoutLoadBalancer: Check = (facts) => {
  const service = serviceOf(facts);
  if (service?.spec?.type !== 'LoadBalancer' || (service.status?.loadBalancer?.ingress ?? []).length > 0)
    return undefined;
  return notReady(
    `Service ${service.metadata.name} has been given no load balancer address yet. If this stays, see whether a load ` +
      'balancer controller runs and knows spec.service.loadBalancerClass.',
  );
};

function notReady(message: string): Finding {
  return { status: 'False', reason: REASONS.serviceNotReady, message };
}
