import type { BmcRule } from './inputs.ts';

/** Warns about settings that have no effect for the Service's type. */
export const serviceSettings: BmcRule = ({ spec }) => {
  const { type = 'ClusterIP', loadBalancerClass, externalTrafficPolicy, nodePorts } = spec.service ?? {};
  const warnings: string[] = [];
  const warn = (field: string, value: string, types: string): void => {
    warnings.push(`spec.service.${field}: ${value} has no effect on a Service of type ${type}; it is for ${types}`);
  };
  if (loadBalancerClass !== undefined && type !== 'LoadBalancer')
    warn('loadBalancerClass', JSON.stringify(loadBalancerClass), 'LoadBalancer');
  if (externalTrafficPolicy !== undefined && type === 'ClusterIP')
    warn('externalTrafficPolicy', externalTrafficPolicy, 'NodePort and LoadBalancer');
  const ports = Object.entries(nodePorts ?? {}).filter(([, port]) => port !== 0);
  if (type === 'ClusterIP')
    for (const [name, port] of ports) warn(`nodePorts.${name}`, String(port), 'NodePort and LoadBalancer');
  return { warnings };
};
