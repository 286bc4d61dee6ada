import { describe, expect, it } from 'vitest';
import { Reservation } from './reservation.ts';

describe('Reservation', () => {
  it('is valid until the next one or its cancellation, and is never 0', () => {
    const reservation = new Reservation();
    expect([reservation.holds(0), reservation.holds(1)]).toEqual([false, false]);
    const first = reservation.take();
    expect(reservation.holds(first)).toBe(true);
    const second = reservation.take();
    expect([reservation.holds(first), reservation.holds(second)]).toEqual([false, true]);
    reservation.cancel();
    expect(reservation.holds(second)).toBe(false);
    const third = reservation.take(7);
    expect([reservation.holds(third, 7), reservation.holds(third, 8), reservation.holds(third)]).toEqual([
      true,
      false,
      false,
    ]);
    const many = Array.from({ length: 70_000 }, () => reservation.take());
    expect(many.every((id) => id > 0 && id <= 0xffff)).toBe(true);
  });
});
