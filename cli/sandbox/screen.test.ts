import { describe, expect, it } from 'vitest';
import { screen, type ScreenOptions } from './screen.ts';

function options(changes: Partial<ScreenOptions> = {}): ScreenOptions {
  return {
    document: {
      web: `http://127.0.0.1:41234/#key=${'k'.repeat(43)}`,
      kubeconfig: '/tmp/groundcrew-x/kubeconfig',
      authority: '/tmp/groundcrew-x/ca.crt',
      bmcs: [
        {
          namespace: 'default',
          name: 'vm-1',
          virtualMachine: 'vm-1',
          ipmi: { host: '127.0.0.1', port: 6230 },
          redfish: 'https://127.0.0.1:6230',
          username: 'admin',
          password: 'secret',
        },
      ],
      pools: [],
    },
    addresses: new Map(),
    seconds: 1.234,
    command: 'groundcrew',
    install: [],
    kept: undefined,
    notes: [],
    troubles: [],
    colour: false,
    ...changes,
  };
}

/** Joins wrapped commands into one line each. */
function unfolded(text: string): string {
  return text.replaceAll(/ \\\n +/g, ' ');
}

describe('screen', () => {
  it('prints commands that can be copied and run unchanged', () => {
    const text = screen(options());
    expect(text).toContain('ipmitool -I lanplus -H 127.0.0.1 -p 6230 -U admin -P secret chassis power on\n');
    expect(text).toContain('ipmitool -I lanplus -H 127.0.0.1 -p 6230 -U admin -P secret sol activate\n');
    expect(unfolded(text)).toContain(
      'curl -sS --fail-with-body --cacert /tmp/groundcrew-x/ca.crt -u admin:secret https://127.0.0.1:6230/redfish/v1/Systems/1\n',
    );
    expect(text).toContain('export KUBECONFIG=/tmp/groundcrew-x/kubeconfig\n');
    expect(text).toContain('kubectl get vm,vmi,vmbmc,pods\n');
    expect(text).toContain('groundcrew status\n');
    expect(text).toContain('groundcrew console vm-1\n');
  });

  it('begins with the link to the page', () => {
    const { document } = options();
    expect(screen(options()).split('\n')[0]).toBe(document.web);
  });

  it('fits into 80 columns', () => {
    const { document } = options();
    const bmcs = document.bmcs.map((bmc) => ({ ...bmc, password: 'YDQV2Hn8gvTsFhRh' }));
    const addresses = new Map([['default/vm-1', ['192.168.100.10']]]);
    const text = screen(options({ document: { ...document, bmcs }, addresses }));
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('shows that a BMC has no IPMI or another IPMI port', () => {
    const { document } = options();
    const withIpmi = (ipmi?: { host: string; port: number }): string => {
      const [bmc] = document.bmcs.map(({ ipmi: _, ...rest }) => ({ ...rest, ...(ipmi === undefined ? {} : { ipmi }) }));
      return screen(options({ document: { ...document, bmcs: bmc === undefined ? [] : [bmc] } }));
    };
    expect(withIpmi()).toContain('no IPMI, 127.0.0.1:6230');
    expect(withIpmi({ host: '127.0.0.1', port: 7000 })).toContain('127.0.0.1:7000, 127.0.0.1:6230');
  });

  it('shows the address of each VM', () => {
    const addresses = new Map([['default/vm-1', ['192.168.100.10', '10.0.0.5']]]);
    expect(screen(options({ addresses }))).toMatch(/default\/vm-1 +192\.168\.100\.10,10\.0\.0\.5 +127\.0\.0\.1:6230/);
    expect(screen(options())).toMatch(/default\/vm-1 +- +127\.0\.0\.1:6230/);
  });

  it('shows the DHCP endpoint of each pool and a command that requests a lease', () => {
    const pool = {
      namespace: 'default',
      name: 'lan',
      cidr: '192.168.100.0/24',
      dhcp: { host: '127.64.3.7', port: 10067 },
      relay: '192.168.100.1',
    };
    const { document } = options();
    const text = screen(options({ document: { ...document, pools: [pool] } }));
    expect(text).toContain('1 BMC and 1 IP pool in');
    expect(text).toMatch(/default\/lan +192\.168\.100\.0\/24 +127\.64\.3\.7:10067\n/);
    expect(unfolded(text)).toContain(
      'groundcrew dhcp-client --mac 02:00:00:00:00:01 --server 127.64.3.7:10067 --relay 192.168.100.1\n',
    );
    expect(text).toContain('get ippools,ipleases,vmi -A\n');
    const own = screen(options({ document: { ...document, bmcs: [], pools: [pool] } }));
    expect(own).not.toContain('dhcp-client');
  });

  it('shows the start time and how to stop the sandbox', () => {
    const text = screen(options());
    expect(text).toContain('1 BMC in 1.2 s');
    expect(text).toContain('Ctrl-C stops all of it and leaves nothing behind.');
  });

  it('shows how to restore a kept sandbox and that it was restored', () => {
    const made = screen(options({ kept: { path: '/my lab', isBack: false } }));
    expect(made).toContain('is up: 1 BMC');
    expect(made).toContain(
      "Ctrl-C stops all of it. This brings it back as it was:\n  groundcrew sandbox --data-dir '/my lab'\n",
    );
    expect(screen(options({ kept: { path: '/lab', isBack: true } }))).toContain('is back: 1 BMC');
  });

  it('shows options that have no effect', () => {
    expect(screen(options({ notes: ['--vms 5 has no effect'] }))).toContain('\n  --vms 5 has no effect\n');
  });

  it('shows the command that installs a missing program', () => {
    const text = screen(options({ install: [{ tool: 'ipmitool', line: 'sudo apt-get install ipmitool' }] }));
    expect(text).toContain('ipmitool is not on this machine. This installs it:\n    sudo apt-get install ipmitool\n');
  });

  it('shows objects that are not ready', () => {
    const text = screen(options({ troubles: [{ name: 'default/vm-9', message: 'VirtualMachine vm-9 not found' }] }));
    expect(text).toContain('default/vm-9 is not ready: VirtualMachine vm-9 not found');
  });

  it('has no IPMI lines if no BMC has IPMI', () => {
    expect(
      screen(options({ document: { web: '', kubeconfig: '/k', authority: '/c', bmcs: [], pools: [] } })),
    ).not.toContain('ipmitool');
  });

  it('has no escape codes without colour', () => {
    expect(screen(options())).not.toContain('\x1b');
    expect(screen(options({ colour: true }))).toContain('\x1b[1m');
  });
});
