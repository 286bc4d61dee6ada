import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { deployment as dhcpDeployment } from '../../manager/ippool/agents/children/deployment.ts';
import { aScope } from '../../manager/ippool/testing/builders.ts';
import { deployment as bmcDeployment } from '../../manager/virtualmachinebmc/children/deployment.ts';
import { aBmc } from '../../manager/virtualmachinebmc/testing/builders.ts';
import { bmcAgentArguments } from '../../manager/wiring.ts';
import { findTool, needs } from '../tools/index.ts';

/** Deployments with all settings that a manager may give. test/suites/skew runs agents and managers of both versions. */
const DEPLOYMENTS = {
  bmc: bmcDeployment(aBmc(), {
    image: 'image',
    metrics: true,
    logLevel: 'debug',
    extraArgs: bmcAgentArguments({ ipmi: false, redfishHttp: true, webConsole: false }),
  }),
  dhcp: dhcpDeployment(
    aScope({ settings: { logLevel: 'debug' } }),
    { index: 1, addresses: [], routes: [], poolNamespaces: ['a', 'b'] },
    '{}',
  ),
};

/** What agents of that release ignore because they do not have what it switches. */
const NOTHING_TO_SWITCH = ['--default-web-console'];

describe.each(['bmc', 'dhcp'] as const)('the agent %s', (agent) => {
  it('of the previous release gets only options that it knows', needs('previous-release'), () => {
    const previous = findTool('previous-release') ?? '';
    const help = execFileSync(process.execPath, [previous, 'agent', agent, '--help'], { encoding: 'utf8' });
    const known = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
    expect(known).toContain('--bind-address');
    const args = DEPLOYMENTS[agent].spec?.template.spec?.containers[0]?.args ?? [];
    const given = args.filter((word) => word.startsWith('--'));
    expect(given).not.toEqual([]);
    expect(given.filter((option) => ![...known, ...NOTHING_TO_SWITCH].includes(option))).toEqual([]);
  });
});
