export { optInController } from './controller.ts';
