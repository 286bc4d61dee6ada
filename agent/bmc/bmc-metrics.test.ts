import { expect, it } from 'vitest';
import { exposition } from '../process/index.ts';
import { BmcMetrics } from './bmc-metrics.ts';

function lines(metrics: BmcMetrics): string[] {
  return exposition(metrics.families())
    .split('\n')
    .filter((line) => !line.startsWith('#') && line !== '');
}

const NOTHING = { sessions: { ipmi: 0, redfish: 0 }, bmcs: { served: 1, failing: 0 }, certificateExpires: undefined };

it('counts requests by protocol, command and code', () => {
  const metrics = new BmcMetrics(() => NOTHING);
  for (let times = 0; times < 3; times += 1) metrics.answered('ipmi', 'Get Chassis Status', 0);
  metrics.answered('ipmi', 'Chassis Control', 0xd5);
  metrics.answered('redfish', 'ComputerSystem.Reset', 204);
  expect(lines(metrics)).toEqual(
    expect.arrayContaining([
      'groundcrew_bmc_requests_total{protocol="ipmi",command="Get Chassis Status",code="0x00"} 3',
      'groundcrew_bmc_requests_total{protocol="ipmi",command="Chassis Control",code="0xd5"} 1',
      'groundcrew_bmc_requests_total{protocol="redfish",command="ComputerSystem.Reset",code="204"} 1',
    ]),
  );
});

it('has a series for each reason of a refused log-in from the start, so that the first one counts as an increase', () => {
  const metrics = new BmcMetrics(() => NOTHING);
  metrics.loginFailed('ipmi', 'WrongPassword');
  const failures = lines(metrics).filter((line) => line.startsWith('groundcrew_bmc_login_failures_total'));
  expect(failures).toHaveLength(9);
  expect(failures).toContain('groundcrew_bmc_login_failures_total{protocol="ipmi",reason="WrongPassword"} 1');
  expect(failures).toContain('groundcrew_bmc_login_failures_total{protocol="redfish",reason="LockedOut"} 0');
});

it('shows sessions, consoles, the end of the certificate, and the time of calls to KubeVirt', () => {
  const metrics = new BmcMetrics(() => ({
    sessions: { ipmi: 2, redfish: 1 },
    bmcs: { served: 1, failing: 0 },
    certificateExpires: 1_800_000_000_000,
  }));
  for (const isOpen of [true, true, false]) metrics.consoleChanged(isOpen);
  metrics.called('start', '202', 0.03);
  metrics.called('start', '<error>', 12);
  expect(lines(metrics)).toEqual(
    expect.arrayContaining([
      'groundcrew_bmc_sessions{protocol="ipmi"} 2',
      'groundcrew_bmc_consoles 1',
      'groundcrew_bmc_certificate_expiration_timestamp_seconds 1800000000',
      'groundcrew_bmc_kubevirt_calls_total{call="start",code="<error>"} 1',
      'groundcrew_bmc_kubevirt_call_duration_seconds_bucket{call="start",le="0.05"} 1',
      'groundcrew_bmc_kubevirt_call_duration_seconds_bucket{call="start",le="+Inf"} 2',
    ]),
  );
});
