import { describe, expect, it } from 'vitest';
import { aBmc, inputs, secret } from '../testing/builders.ts';
import { secretAvailable } from './secret-available.ts';

describe('SecretAvailable', () => {
  it('is True with a username and a password that IPMI supports', () => {
    expect(secretAvailable(inputs())).toMatchObject({ status: 'True', reason: 'SecretFound' });
    const longest = secret('u'.repeat(16), 'p'.repeat(20));
    expect(secretAvailable(inputs({ secret: longest }))).toMatchObject({ status: 'True' });
  });

  it('names the Secret that is missing', () => {
    const result = secretAvailable(inputs({ secret: { name: 'creds', generated: false, state: 'Missing' } }));
    expect(result).toMatchObject({ status: 'False', reason: 'SecretNotFound' });
    expect(result.message).toContain('Secret creds');
  });

  it('waits for the Secret that Groundcrew generates', () => {
    const result = secretAvailable(
      inputs({ secret: { name: 'web-bmc-credentials', generated: true, state: 'Missing' } }),
    );
    expect(result).toMatchObject({ status: 'False', reason: 'SecretPending' });
  });

  it.each([
    [{}, 'no username and no password'],
    [{ username: 'YQ==' }, 'no password'],
    [{ username: '', password: 'YQ==' }, 'no username'],
  ])('names the keys that are missing in %j', (data, said) => {
    const result = secretAvailable(inputs({ secret: { name: 'creds', generated: false, state: 'Found', data } }));
    expect(result).toMatchObject({ status: 'False', reason: 'SecretIncomplete' });
    expect(result.message).toContain(said);
  });

  it.each([
    ['password', secret('admin', 'p'.repeat(21)), '21 bytes and IPMI allows 20'],
    ['username', secret('u'.repeat(17), 'secret'), '17 bytes and IPMI allows 16'],
    ['password', secret('admin', 'ä'.repeat(11)), '22 bytes and IPMI allows 20'],
  ])('says that IPMI is off if the %s is too long in bytes', (key, given, said) => {
    const result = secretAvailable(inputs({ secret: given }));
    expect(result).toMatchObject({ status: 'False', reason: 'CredentialsUnfitForIPMI' });
    expect(result.message).toContain(`IPMI is off: the ${key}`);
    expect(result.message).toContain(said);
  });

  it('says that IPMI is off if the key of the BMC is too long', () => {
    const given = (kg: string) => ({
      ...secret('admin', 'secret'),
      data: { ...secret('admin', 'secret').data, kg: Buffer.from(kg).toString('base64') },
    });
    expect(secretAvailable(inputs({ secret: given('k'.repeat(20)) }))).toMatchObject({ status: 'True' });
    const result = secretAvailable(inputs({ secret: given('k'.repeat(21)) }));
    expect(result).toMatchObject({ status: 'False', reason: 'CredentialsUnfitForIPMI' });
    expect(result.message).toContain('the kg in Secret creds has 21 bytes and IPMI allows 20');
  });

  it('ignores the lengths if IPMI is disabled', () => {
    const bmc = aBmc({ ipmi: { enabled: false } });
    expect(secretAvailable(inputs({ bmc, secret: secret('admin', 'p'.repeat(30)) }))).toMatchObject({ status: 'True' });
  });

  it.each([
    ['admin\n', 'secret', 'Its username ends in a line break'],
    ['admin', 'secret\r\n', 'Its password ends in a line break'],
    ['admin\n', 'secret\n', 'Its username and password end in a line break'],
  ])('warns that %j or %j ends in a line break, but accepts it', (username, password, said) => {
    const result = secretAvailable(inputs({ secret: secret(username, password) }));
    expect(result).toMatchObject({ status: 'True', reason: 'SecretFound' });
    expect(result.message).toContain(said);
  });

  it('never includes the credentials', () => {
    const { message } = secretAvailable(inputs({ secret: secret('admin', 'p4ssw0rd-p4ssw0rd-p4ssw0rd') }));
    expect(message).not.toContain('p4ssw0rd');
  });

  it("repeats the API server's message", () => {
    const refusals = [
      { child: 'credentials', object: 'Secret web-bmc-credentials', message: 'quota exceeded' },
    ] as const;
    expect(secretAvailable(inputs({ refusals }))).toMatchObject({ status: 'False', reason: 'Refused' });
  });
});
