export type { GuestRequest } from './guest-control.ts';
export { SUBRESOURCE_HANDLERS, type SubresourceContext } from './subresources.ts';
