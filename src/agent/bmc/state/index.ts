export { BmcSettings } from './bmc-settings.ts';
