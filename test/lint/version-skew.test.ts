import { describe, expect, it } from 'vitest';
import { plainAgent } from '../../cli/agent/plain-values.ts';
import { deployment as dhcpDeployment } from '../../manager/ippool/agents/children/deployment.ts';
import { aScope } from '../../manager/ippool/testing/builders.ts';
import { deployment as bmcDeployment } from '../../manager/virtualmachinebmc/children/deployment.ts';
import { aBmc } from '../../manager/virtualmachinebmc/testing/builders.ts';
import { bmcAgentArguments } from '../../manager/wiring.ts';

/**
 * The version before this one (0.1.0-alpha, commit 7de3686). It has no tag; a shallow clone does not have the commit. At a
 * release, replace the record by that of the released version: `args` of the Deployments, and the options in `--help`.
 */
const PREVIOUS = {
  /** Its agents exit with an error if they get other options. */
  options: {
    bmc: words(`--namespace --bmc --pod-name --bind-address --ipmi-port --redfish-port --redfish-http-port --health-port
      --default-ipmi --default-redfish-http --allow-loopback --metrics --log-level`),
    dhcp: words(`--network --server-index --pool-namespace --pod-name --bind-address --health-port --snapshot-dir
      --loopback-port --log-level`),
  },
  /** What its manager gives agents. */
  args: {
    bmc: words(`agent bmc --namespace vms --bmc web-bmc --pod-name web-1 --bind-address 10.0.0.1 --ipmi-port 10623
      --redfish-port 10443 --redfish-http-port 10081 --health-port 10080 --log-level info`),
    dhcp: words(`agent dhcp --network vms/lan --server-index 1 --pool-namespace a --pod-name p --bind-address 10.0.0.1
      --health-port 10080 --snapshot-dir /var/lib/groundcrew --log-level info`),
  },
};

/** Deployments with all settings that a manager may give. */
const DEPLOYMENTS = {
  bmc: bmcDeployment(aBmc(), {
    image: 'image',
    metrics: true,
    logLevel: 'debug',
    extraArgs: bmcAgentArguments({ ipmi: false, redfishHttp: true }),
  }),
  dhcp: dhcpDeployment(
    aScope({ settings: { logLevel: 'debug' } }),
    { index: 1, addresses: [], routes: [], poolNamespaces: ['a', 'b'] },
    '{}',
  ),
};

describe.each(['bmc', 'dhcp'] as const)('the agent %s', (agent) => {
  it('of the previous version gets only options that it knows', () => {
    const args = DEPLOYMENTS[agent].spec?.template.spec?.containers[0]?.args ?? [];
    const options = args.filter((word) => word.startsWith('--'));
    expect(options).not.toEqual([]);
    expect(options.filter((option) => !PREVIOUS.options[agent].includes(option))).toEqual([]);
  });

  it('starts with the arguments of the previous manager', () => {
    expect(plainAgent(PREVIOUS.args[agent])).toMatchObject({ name: agent, ignored: [] });
  });
});

function words(text: string): string[] {
  return text.split(/\s+/);
}
