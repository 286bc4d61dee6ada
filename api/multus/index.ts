export * from './network-attachment-definition.ts';
