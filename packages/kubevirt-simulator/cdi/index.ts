export { startCdi, type Cdi, type CdiOptions } from './start-cdi.ts';
