package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math/rand/v2"
	"net"
)

// Payload types of RMCP+, IPMI 2.0 table 13-16.
const (
	payloadIPMI        = 0x00
	payloadOpenSession = 0x10
	payloadRAKP1       = 0x12
	payloadRAKP3       = 0x14
)

const (
	administrator = 4
	// Administrator, found by name only: IPMI 2.0 §13.20.
	role = 0x10 | administrator
	// Bits of the payload type: encrypted, authenticated.
	secured = 0xc0
	// Of the RMCP and the session header.
	headerLength = 16
	// HMAC-SHA1-96 and AES-CBC-128, cipher suite 3.
	codeLength = 12
	block      = 16
)

// session is one session of a BMC, with cipher suite 3. It verifies every code of the BMC.
type session struct {
	conn        net.Conn
	random      *rand.ChaCha8
	managed     uint32
	console     uint32
	integrity   hash.Hash
	encrypter   chainedBlocks
	decrypter   chainedBlocks
	sent        uint32
	requests    byte
	packet      [256]byte
	answer      [256]byte
	code        [sha1.Size]byte
	plain       [256]byte
	maxReceived uint32
}

type chainedBlocks interface {
	cipher.BlockMode
	SetIV([]byte)
}

// open begins a session, without RAKP.
func (s *session) open() error {
	s.console = uint32(s.random.Uint64()) | 1
	request := make([]byte, 32)
	request[1] = administrator
	binary.LittleEndian.PutUint32(request[4:], s.console)
	for kind, algorithm := range []byte{1, 1, 1} {
		at := request[8+8*kind:]
		at[0], at[3], at[4] = byte(kind), 8, algorithm
	}
	answer, err := s.sessionless(payloadOpenSession, request, 36)
	if err != nil {
		return fmt.Errorf("Open Session: %w", err)
	}
	s.managed = binary.LittleEndian.Uint32(answer[8:])
	return nil
}

// logIn opens a session and raises it to the level Administrator, IPMI 2.0 §13.15 to §13.32.
func (s *session) logIn(username, password string) error {
	if err := s.open(); err != nil {
		return err
	}
	console, managed := littleEndian(s.console), littleEndian(s.managed)
	ourRandom := make([]byte, 16)
	s.random.Read(ourRandom)
	name := append([]byte{role, byte(len(username))}, username...)

	rakp1 := join([]byte{0, 0, 0, 0}, managed, ourRandom, []byte{role, 0, 0, byte(len(username))}, []byte(username))
	rakp2, err := s.sessionless(payloadRAKP1, rakp1, 60)
	if err != nil {
		return fmt.Errorf("RAKP 2: %w", err)
	}
	theirRandom, guid := join(rakp2[8:24]), join(rakp2[24:40])
	key := []byte(password)
	if !hmac.Equal(rakp2[40:], code(key, console, managed, ourRandom, theirRandom, guid, name)) {
		return errors.New("RAKP 2: wrong code")
	}
	rakp3 := join([]byte{0, 0, 0, 0}, managed, code(key, theirRandom, console, name))
	rakp4, err := s.sessionless(payloadRAKP3, rakp3, 8+codeLength)
	if err != nil {
		return fmt.Errorf("RAKP 4: %w", err)
	}
	sik := code(key, ourRandom, theirRandom, name)
	if !hmac.Equal(rakp4[8:], code(sik, ourRandom, managed, guid)[:codeLength]) {
		return errors.New("RAKP 4: wrong code")
	}
	return s.start(code(sik, repeated(1)), code(sik, repeated(2)))
}

// start makes the keys K1 and K2 those of the session.
func (s *session) start(k1, k2 []byte) error {
	key, err := aes.NewCipher(k2[:block])
	if err != nil {
		return err
	}
	zero := make([]byte, block)
	s.integrity = hmac.New(sha1.New, k1)
	s.encrypter = cipher.NewCBCEncrypter(key, zero).(chainedBlocks)
	s.decrypter = cipher.NewCBCDecrypter(key, zero).(chainedBlocks)
	s.sent, s.maxReceived = 0, 0
	return s.command(0x06, 0x3b, administrator) // Set Session Privilege Level
}

func (s *session) logOut() error {
	return s.command(0x06, 0x3c, littleEndian(s.managed)...)
}

// command sends an IPMI request and waits for the response; one with a completion code is an error.
func (s *session) command(netFn, command byte, data ...byte) error {
	if _, err := s.conn.Write(s.seal(netFn, command, data)); err != nil {
		return err
	}
	n, err := s.conn.Read(s.answer[:])
	if err != nil {
		return err
	}
	message, err := s.unseal(s.answer[:n])
	switch {
	case err != nil:
		return err
	case len(message) < 8 || sum(message[:3]) != 0 || sum(message[3:]) != 0:
		return errors.New("malformed IPMI response")
	case message[4]>>2 != s.requests || message[5] != command:
		return errors.New("response to another request")
	case message[6] != 0:
		return fmt.Errorf("completion code 0x%02x", message[6])
	}
	return nil
}

// seal encrypts and signs a request, IPMI 2.0 §13.8, §13.28.4 and §13.29.
func (s *session) seal(netFn, command byte, data []byte) []byte {
	s.sent++
	s.requests = (s.requests + 1) % 64
	message := append(s.packet[:headerLength+block], 0x20, netFn<<2, 0, 0x81, s.requests<<2, command)
	message = append(message, data...)
	message[headerLength+block+2] = -sum(message[headerLength+block:][:2])
	message = append(message, -sum(message[headerLength+block+3:]))
	pad := byte(block-1) - byte((len(message)-headerLength)%block)
	for i := range pad {
		message = append(message, i+1)
	}
	message = append(message, pad)
	writeHeader(message, secured|payloadIPMI, s.managed, s.sent, len(message)-headerLength)
	vector := message[headerLength : headerLength+block]
	s.random.Read(vector)
	s.encrypter.SetIV(vector)
	s.encrypter.CryptBlocks(message[headerLength+block:], message[headerLength+block:])
	// The part from the session header to the next header is a multiple of 4 bytes long.
	message = append(message, 0xff, 0xff, 2, 0x07)
	return append(message, s.sign(message)[:codeLength]...)
}

// unseal verifies and decrypts an answer.
func (s *session) unseal(answer []byte) ([]byte, error) {
	if len(answer) < headerLength+2*block+2+codeLength || answer[5] != secured|payloadIPMI {
		return nil, errors.New("not an answer of a session")
	}
	signed := answer[:len(answer)-codeLength]
	if !hmac.Equal(answer[len(signed):], s.sign(signed)[:codeLength]) {
		return nil, errors.New("wrong integrity code")
	}
	sequence := binary.LittleEndian.Uint32(answer[10:])
	if binary.LittleEndian.Uint32(answer[6:]) != s.console || sequence <= s.maxReceived {
		return nil, errors.New("answer of another session, or one that was seen before")
	}
	s.maxReceived = sequence
	end := headerLength + int(binary.LittleEndian.Uint16(answer[14:]))
	if end > len(signed) || (end-headerLength)%block != 0 {
		return nil, errors.New("malformed length")
	}
	s.decrypter.SetIV(answer[headerLength : headerLength+block])
	plain := s.plain[:end-headerLength-block]
	s.decrypter.CryptBlocks(plain, answer[headerLength+block:end])
	pad := int(plain[len(plain)-1])
	if pad >= block {
		return nil, errors.New("malformed confidentiality pad")
	}
	return plain[:len(plain)-1-pad], nil
}

func (s *session) sign(packet []byte) []byte {
	s.integrity.Reset()
	s.integrity.Write(packet[4:])
	return s.integrity.Sum(s.code[:0])
}

// sessionless sends a payload outside of a session and returns that of the answer.
func (s *session) sessionless(kind byte, payload []byte, least int) ([]byte, error) {
	packet := append(make([]byte, headerLength), payload...)
	writeHeader(packet, kind, 0, 0, len(payload))
	if _, err := s.conn.Write(packet); err != nil {
		return nil, err
	}
	n, err := s.conn.Read(s.answer[:])
	if err != nil {
		return nil, err
	}
	if n < headerLength+8 || s.answer[5] != kind+1 {
		return nil, errors.New("not the answer")
	}
	answer := s.answer[headerLength:n]
	if answer[1] != 0 {
		return nil, fmt.Errorf("status 0x%02x", answer[1])
	}
	if len(answer) < least || binary.LittleEndian.Uint32(answer[4:]) != s.console {
		return nil, errors.New("malformed answer")
	}
	return answer, nil
}

func writeHeader(packet []byte, kind byte, id, sequence uint32, length int) {
	copy(packet, []byte{0x06, 0x00, 0xff, 0x07, 0x06, kind})
	binary.LittleEndian.PutUint32(packet[6:], id)
	binary.LittleEndian.PutUint32(packet[10:], sequence)
	binary.LittleEndian.PutUint16(packet[14:], uint16(length))
}

func code(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha1.New, key)
	mac.Write(join(parts...))
	return mac.Sum(nil)
}

func join(parts ...[]byte) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

func repeated(value byte) []byte {
	constant := make([]byte, 20)
	for i := range constant {
		constant[i] = value
	}
	return constant
}

func littleEndian(value uint32) []byte {
	return binary.LittleEndian.AppendUint32(nil, value)
}

func sum(bytes []byte) byte {
	var total byte
	for _, value := range bytes {
		total += value
	}
	return total
}
