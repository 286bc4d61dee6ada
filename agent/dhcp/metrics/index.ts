export { DhcpMetrics, type DhcpGauges } from './dhcp-metrics.ts';
