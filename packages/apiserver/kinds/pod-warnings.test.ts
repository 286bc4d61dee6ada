import { describe, expect, it } from 'vitest';
import { podWarnings } from './pod-warnings.ts';

const container = (parts: object) => ({ name: 'one', image: 'image:1', ...parts });

describe('podWarnings', () => {
  it('warns of a port that two containers have', () => {
    const ports = [{ containerPort: 80, protocol: 'TCP' }];
    expect(podWarnings({ containers: [container({ ports }), container({ ports })] }, 'spec')).toEqual([
      'spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]',
    ]);
  });

  it('warns of a port that is published and one that is not', () => {
    const ports = [
      { containerPort: 80, protocol: 'TCP' },
      { containerPort: 80, protocol: 'TCP', hostPort: 80 },
    ];
    expect(podWarnings({ containers: [container({ ports })] }, 'spec')).toEqual([
      'spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]',
    ]);
  });

  it('warns of a name that two containers give their ports', () => {
    const ports = (containerPort: number) => [{ name: 'ipmi', containerPort, protocol: 'UDP' }];
    const containers = [container({ ports: ports(623) }), container({ ports: ports(624) })];
    expect(podWarnings({ containers }, 'spec.template.spec')).toEqual([
      'spec.template.spec.containers[1].ports[0]: duplicate port name "ipmi" with spec.template.spec.containers[0].ports[0], services and probes that select ports by name will use spec.template.spec.containers[0].ports[0]',
    ]);
  });

  it('warns of a variable that hides another, and not of one that builds upon it', () => {
    const env = (value: string) => [
      { name: 'A', value: 'x' },
      { name: 'A', value },
    ];
    expect(podWarnings({ containers: [container({ env: env('$(A)y') })] }, 'spec')).toEqual([]);
    expect(podWarnings({ containers: [container({ env: env('y') })] }, 'spec')).toEqual([
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ]);
  });
});
