export { create } from './create.ts';
export { patch } from './patch.ts';
export { remove } from './remove.ts';
export { runAction } from './run-action.ts';
