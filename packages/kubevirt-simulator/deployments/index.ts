export { startDeployments, type DeploymentsOptions } from './start-deployments.ts';
