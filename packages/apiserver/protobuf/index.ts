export { ProtobufDecoder } from './protobuf-decoder.ts';
