import { X509Certificate } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, SECRETS } from '@groundcrew/controller-runtime';
import {
  makeAuthority,
  makeServerCertificate,
  permittedDomains,
  type KeyPair,
} from '../../../manager/authority/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { Scene } from './scene.ts';

const DAY = 86_400_000;
const c = await cluster();

const encoded = ({ cert, key }: KeyPair) => ({
  'tls.crt': Buffer.from(cert).toString('base64'),
  'tls.key': Buffer.from(key).toString('base64'),
});

describe('the certificate of a BMC', () => {
  let scene: Scene;
  let managerNamespace: string;

  beforeAll(async () => {
    await c.standIns({ parts: ['kubevirt', 'deployments'] });
    managerNamespace = (await c.manager({ args: ['--allowed-dns-suffix=bmc.example'] })).namespace;
  });
  beforeEach(async () => {
    scene = await Scene.in(c);
    await scene.createVirtualMachine();
    await scene.createSecret();
  });

  const own = () => `web-virtbmc.${scene.namespace}.svc`;
  const held = async () => {
    const { data = {}, ...secret } = await scene.secret('web-bmc-tls');
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
    return { ...secret, cert: text('tls.crt'), ca: text('ca.crt'), certificate: new X509Certificate(text('tls.crt')) };
  };
  const published = async () => {
    const { data = {} } = await c.client.get(CONFIG_MAPS, { namespace: managerNamespace, name: 'groundcrew-ca' });
    return data['ca.crt'] ?? '';
  };
  const certificatesIn = (bundle: string) => bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  /** Creates a Secret with a certificate as a user does. */
  const bring = async (name: string, data: Record<string, string>) => {
    const draft = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: scene.ref(name), data };
    await c.client.apply(SECRETS, draft, { force: true });
  };
  const bought = async (name: string) => {
    const authority = await makeAuthority({ name: 'theirs', lifetime: DAY, now: Date.now() });
    return await makeServerCertificate(authority, { names: [name], lifetime: DAY, now: Date.now() });
  };

  it('is issued by the CA of the installation, whose certificate all users may read', async () => {
    await scene.createBmc('web-bmc', { redfish: { tls: { dnsNames: ['web.bmc.example'] } } });
    const { status } = await scene.untilPhase('Ready');
    // The Service may get its address after the first certificate.
    await eventually(async () => {
      expect((await held()).certificate.checkIP(status?.clusterIP ?? '')).toBe(status?.clusterIP);
    });
    const { certificate, ca, metadata, type } = await held();
    expect(type).toBe('kubernetes.io/tls');
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachineBMC', name: 'web-bmc' }]);
    for (const name of [`web-virtbmc.${scene.namespace}.svc`, 'web.bmc.example'])
      expect(certificate.checkHost(name), name).toBe(name);
    expect(certificate.verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect(await published()).toBe(ca);
    // The CA can sign nothing else.
    expect(permittedDomains(ca)).toEqual(expect.arrayContaining(['svc', 'bmc.example']));
  });

  it('can be verified again immediately after the published CA certificate was deleted', async () => {
    const ref = { namespace: managerNamespace, name: 'groundcrew-ca' };
    const before = await eventually(published);
    await c.client.delete(CONFIG_MAPS, ref);
    await eventually(async () => {
      expect(await published()).toBe(before);
    });
  });

  it('is issued again when the address changes', async () => {
    await scene.createBmc('web-bmc', { service: { type: 'NodePort' } });
    await scene.untilPhase('Ready');
    await eventually(async () => {
      expect((await held()).certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    });
    await scene.patchBmc({ redfish: { tls: { dnsNames: ['later.bmc.example'] } } });
    await eventually(async () => {
      expect((await held()).certificate.checkHost('later.bmc.example')).toBe('later.bmc.example');
    });
    await scene.untilPhase('Ready');
  });

  it('has no names that a tenant writes and the installation does not allow', async () => {
    const dnsNames = ['login.bank.example', `x-virtbmc.${managerNamespace}.svc`, '*.example.com'];
    await scene.createBmc('web-bmc', { redfish: { tls: { dnsNames } } });
    const { message } = await scene.untilCondition('CertificateReady', 'NamesNotAllowed');
    for (const name of dnsNames) {
      expect(message).toContain(`${name} is not `);
      expect((await held()).certificate.subjectAltName).not.toContain(name);
    }
    await scene.untilPhase('Ready');
    // A certificate from before the rule is replaced.
    const ca = await c.client.get(SECRETS, { namespace: managerNamespace, name: 'groundcrew-ca' });
    const text = (key: string) => Buffer.from(ca.data?.[key] ?? '', 'base64').toString();
    const authority = { cert: text('tls.crt'), key: text('tls.key') };
    const names = [own(), `${own()}.cluster.local`, 'login.bank.example'];
    const old = await makeServerCertificate(authority, { names, lifetime: 365 * DAY, now: Date.now() });
    await c.client.patch(SECRETS, scene.ref('web-bmc-tls'), 'merge', { data: encoded(old) });
    await eventually(async () => {
      expect((await held()).certificate.subjectAltName).not.toContain('login.bank.example');
    });
  });

  it('is issued again if it is deleted or damaged', async () => {
    await scene.createBmc();
    await scene.untilPhase('Ready');
    const ref = scene.ref('web-bmc-tls');
    const { metadata } = await held();
    await c.client.delete(SECRETS, ref);
    await eventually(async () => {
      expect((await held()).metadata.uid).not.toBe(metadata.uid);
    });
    await c.client.patch(SECRETS, ref, 'merge', { data: { 'tls.crt': 'bm9uc2Vuc2U=' } });
    await eventually(async () => {
      expect((await held()).certificate.checkHost(own())).toBe(own());
    });
  });

  it('is taken from the Secret in the spec and follows its changes', async () => {
    const [first, second] = [await bought('first.example'), await bought('second.example')];
    await bring('own', encoded(first));
    await scene.createBmc('web-bmc', { redfish: { tls: { secretRef: { name: 'own' } } } });
    await scene.untilPhase('Ready');
    expect((await held()).cert).toBe(first.cert);
    await bring('own', encoded(second));
    await eventually(async () => {
      expect((await held()).cert).toBe(second.cert);
    });
    await scene.patchBmc({ redfish: { tls: null } });
    await eventually(async () => {
      expect((await held()).certificate.checkHost(own())).toBe(own());
    });
  });

  it('stays unchanged while that Secret is unusable, which a condition and an Event report', async () => {
    const [first, second] = [await bought('first.example'), await bought('second.example')];
    await bring('own', encoded(first));
    await scene.createBmc('web-bmc', { redfish: { tls: { secretRef: { name: 'own' } } } });
    await scene.untilPhase('Ready');
    await bring('own', encoded({ ...second, key: first.key }));
    const { message } = await scene.untilCondition('CertificateReady', 'CertificateUnfit');
    expect(message).toContain(
      'Secret own holds a key under tls.key that cannot be read or is not that of the certificate',
    );
    await scene.untilEvent('CertificateUnfit');
    expect((await held()).cert).toBe(first.cert);
    await c.client.delete(SECRETS, scene.ref('own'));
    await scene.untilCondition('CertificateReady', 'CertificateNotFound');
    expect((await held()).cert).toBe(first.cert);
    await scene.untilPhase('Ready');
    await bring('own', encoded(second));
    await scene.untilCondition('CertificateReady', 'CertificateReady');
    expect((await held()).cert).toBe(second.cert);
  });

  it('is issued by the next CA after clients have had a year to trust it', async () => {
    const ref = { namespace: managerNamespace, name: 'groundcrew-ca' };
    const old = await makeAuthority({
      name: 'of long ago',
      lifetime: 20 * 365 * DAY,
      now: Date.now() - 14 * 365 * DAY,
    });
    await c.client.patch(SECRETS, ref, 'merge', { data: encoded(old) });
    await scene.createBmc();
    await scene.untilPhase('Ready');
    await eventually(async () => {
      const { certificate, ca } = await held();
      expect(certificate.verify(new X509Certificate(old.cert).publicKey)).toBe(true);
      expect(certificatesIn(ca)).toHaveLength(2);
      expect(await published()).toBe(ca);
    });
    const next = certificatesIn(await published())[1] ?? '';
    const announced = new Date(Date.now() - 366 * DAY).toISOString();
    await c.client.patch(SECRETS, ref, 'merge', {
      data: { 'next.announced': Buffer.from(announced).toString('base64') },
    });
    await eventually(async () => {
      const { certificate, ca } = await held();
      expect(certificate.verify(new X509Certificate(next).publicKey)).toBe(true);
      expect(certificatesIn(ca)).toEqual([next, old.cert.trimEnd()]);
      expect(await published()).toBe(ca);
    });
  });

  it('is not written over a Secret of another owner with its name', async () => {
    await bring('web-bmc-tls', encoded(await bought('theirs.example')));
    await scene.createBmc();
    await scene.untilCondition('CertificateReady', 'NotOwned');
    expect((await held()).certificate.checkHost('theirs.example')).toBe('theirs.example');
  });
});
