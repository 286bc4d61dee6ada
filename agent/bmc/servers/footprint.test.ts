import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { selfSigned } from '../../../protocols/redfish/testing/index.ts';

/** Serves IPMI and Redfish for many BMCs in one process without clients, and prints the bytes of V8's heap for each further one. */
function program(certificate: { key: string; cert: string }): string {
  const url = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
  return `
    const { RedfishService } = await import(${url('./redfish-service.ts')});
    const { IpmiService } = await import(${url('./ipmi-service.ts')});
    const { RequestTraces } = await import(${url('../request-traces.ts')});
    const { FakeBmc } = await import(${url('../../../protocols/redfish/testing/fake-bmc.ts')});
    const { MemorySettings } = await import(${url('../../../protocols/testing/index.ts')});
    const { systemClock } = await import(${JSON.stringify(import.meta.resolve('@groundcrew/controller-runtime'))});
    const { silentLogger } = await import(${JSON.stringify(import.meta.resolve('@groundcrew/controller-runtime/testing'))});
    const { ipmiSettings } = await import(${url('../../../api/index.ts')});
    const { randomBytes } = await import('node:crypto');
    const { advertisedPort, ...settings } = ipmiSettings({ virtualMachineRef: { name: 'a' } });
    const ipmi = { bmcKey: undefined, settings, advertisedPort };
    const base64 = (text) => Buffer.from(text).toString('base64');
    const { key, cert } = ${JSON.stringify(certificate)};
    const checks = { add: () => () => undefined };
    const common = {
      addresses: ['127.0.0.1'], port: 0, checks, clock: systemClock, random: randomBytes, now: () => 0,
      logger: silentLogger, traces: new RequestTraces('p'), report: () => undefined,
    };
    const all = [];
    const serve = async (count) => {
      for (let index = 0; index < count; index += 1) {
        const bmc = new FakeBmc();
        const redfish = new RedfishService({ ...bmc.options, ...common, certificateOwner: bmc.options.certificateOwner });
        // Each with text of its own, as from its Secret.
        const data = { 'tls.crt': base64(cert + ' '.repeat(index)), 'tls.key': base64(key) };
        await redfish.serve({ certificate: { object: { data } }, http: false });
        const server = new IpmiService({
          ...common, machine: bmc.options.machine, accounts: bmc.options.accounts, settings: new MemorySettings(),
          deviceInfo: { firmware: { major: 0, minor: 1 } }, observer: {},
        });
        await server.serve(ipmi);
        if (redfish.port === undefined || server.port === undefined) throw new Error('the BMC is not served');
        all.push(redfish, server);
      }
      gc();
      return process.memoryUsage().heapUsed;
    };
    await serve(20);
    const before = await serve(10);
    const after = await serve(100);
    process.stdout.write(JSON.stringify((after - before) / 100));
    process.exit(0);
  `;
}

it('a further BMC without clients costs the heap of its process less than 25 kB', async () => {
  const script = program(await selfSigned('bmc'));
  const output = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  // 23.8 kB, the fakes included. Made for each BMC without clients, the parts for log-ins and limits take 7 kB more, HTTP servers
  // 3.8 kB, and a tree of routes 69 kB.
  expect(Number(output)).toBeGreaterThan(1_000);
  expect(Number(output)).toBeLessThan(25_000);
});
