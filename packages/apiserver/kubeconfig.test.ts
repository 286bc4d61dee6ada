import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { kubeconfigYaml } from './kubeconfig.ts';

describe('a kubeconfig', () => {
  it('has one context with the server, its CA and the token', () => {
    const config = parse(
      kubeconfigYaml({ server: 'https://127.0.0.1:1', ca: 'PEM', token: 'secret', contextName: 'a: b' }),
    ) as object;
    expect(config).toMatchObject({
      'current-context': 'a: b',
      clusters: [
        {
          name: 'a: b',
          cluster: {
            server: 'https://127.0.0.1:1',
            'certificate-authority-data': Buffer.from('PEM').toString('base64'),
          },
        },
      ],
      users: [{ name: 'a: b', user: { token: 'secret' } }],
      contexts: [{ name: 'a: b', context: { cluster: 'a: b', user: 'a: b', namespace: 'default' } }],
    });
  });
});
