import { describe, expect, it } from 'vitest';
import type { Logger } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { runManager, type RunManagerOptions } from './main.ts';

/** Exit code and error messages of a manager with these options. */
async function outcome(given: Partial<RunManagerOptions>): Promise<{ code: number; errors: string[] }> {
  const errors: string[] = [];
  const logger: Logger = { ...silentLogger, error: (_fields, message) => errors.push(message) };
  const code = await runManager({
    agentImage: 'groundcrew',
    namespace: 'groundcrew-system',
    leaderElect: false,
    assignMacs: true,
    admissionAddress: '',
    healthAddress: '',
    metricsAddress: '',
    logger,
    env: {},
    ...given,
  });
  return { code, errors };
}

describe('a manager that cannot start exits with 1 and says what to do', () => {
  it.each<[string, Partial<RunManagerOptions>, string]>([
    ['outside a cluster', {}, 'Name one with --kubeconfig'],
    ['with an invalid address', { healthAddress: '8081' }, 'write host:port'],
    ['with an invalid domain', { clusterDomain: 'no domain' }, 'is not a DNS domain'],
    ['with invalid agent defaults', { agentDefaults: '{"images":"x"}' }, 'no field images'],
    ['with a missing kubeconfig', { kubeconfig: '/nowhere/kubeconfig' }, '/nowhere/kubeconfig'],
  ])('%s', async (_, given, said) => {
    const { code, errors } = await outcome(given);
    expect(code).toBe(1);
    expect(errors.join('\n')).toContain(said);
  });
});
