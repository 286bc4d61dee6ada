import { describe, expect, it } from 'vitest';
import type { CertificateFact } from '../inputs.ts';
import { aBmc, inputs } from '../testing/builders.ts';
import { certificateReady } from './certificate-ready.ts';

const NOW = Date.UTC(2026, 0, 1);
const { held } = inputs().certificate;
const evaluated = (certificate: Partial<CertificateFact>, more: Parameters<typeof inputs>[0] = {}) =>
  certificateReady(
    inputs({
      certificate: { held, authority: undefined, names: [], clusterDomain: 'cluster.local', ...certificate },
      ...more,
    }),
    NOW,
  );

describe('CertificateReady', () => {
  it('is True with an issued certificate', () => {
    expect(evaluated({})).toEqual({
      status: 'True',
      reason: 'CertificateReady',
      message: 'Secret web-bmc-tls holds the certificate, issued by Groundcrew.',
    });
  });

  it('is False before the first certificate', () => {
    const result = evaluated({ held: { standing: 'Absent' } });
    expect(result).toMatchObject({ status: 'False', reason: 'CertificatePending' });
  });

  it('reports that the named Secret is missing, and which certificate is in use meanwhile', () => {
    const result = evaluated({ named: { name: 'cert', state: 'Missing' } });
    expect(result).toMatchObject({ status: 'False', reason: 'CertificateNotFound' });
    expect(result.message).toMatch(
      /^There is no Secret cert\. Create it .+ Until then the BMC shows the one in Secret web-bmc-tls\.$/,
    );
  });

  it('says what is wrong with the named Secret', () => {
    const result = evaluated({ named: { name: 'cert', state: 'Found', data: {} } });
    expect(result).toMatchObject({ status: 'False', reason: 'CertificateUnfit' });
    expect(result.message).toContain('Secret cert has no tls.crt and no tls.key. Correct it.');
  });

  it('is unchanged while that Secret has not been read', () => {
    const named = { name: 'cert', state: 'Unread' } as const;
    expect(evaluated({ named })).toMatchObject({ status: 'Unknown', reason: 'SecretUnread' });
    const before = {
      type: 'CertificateReady',
      status: 'True',
      reason: 'CertificateReady',
      message: 'Fine.',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    } as const;
    const bmc = aBmc({ status: { conditions: [before] } });
    expect(evaluated({ named }, { bmc })).toMatchObject({ status: 'True', message: 'Fine.' });
  });

  it('reports a Secret of another owner and leaves it unchanged', () => {
    const result = evaluated({ held: { standing: 'Theirs', owner: 'no BMC' } });
    expect(result).toMatchObject({ status: 'False', reason: 'NotOwned' });
    expect(result.message).toContain('Secret web-bmc-tls belongs to no BMC');
  });

  it("repeats the API server's message if it rejects the Secret", () => {
    const refusals = [{ child: 'certificate', object: 'Secret web-bmc-tls', message: 'quota exceeded' }] as const;
    expect(evaluated({}, { refusals }).message).toBe('The API server refused Secret web-bmc-tls: quota exceeded');
  });
});
