export type { GuestRequest } from './guest-control.ts';
export { SUBRESOURCE_ROUTES, type SubresourceAnswer, type SubresourceContext } from './subresources.ts';
