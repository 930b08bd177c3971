package counting;

/**
 * A method of about 5 KB with 420 branches: with probes of the usual length, it would be too long for HotSpot to
 * compile. All of its branches are counted nevertheless.
 */
public final class Big {
  private static final int FIRST = 7;
  private static final int IFS = 420;
  private static final int PER_LINE = 10;

  static int f(int i) {
    int r = 0;
    if (i == 7) r += i; if (i == 8) r += i; if (i == 9) r += i; if (i == 10) r += i; if (i == 11) r += i; if (i == 12) r += i; if (i == 13) r += i; if (i == 14) r += i; if (i == 15) r += i; if (i == 16) r += i; // @b0
    if (i == 17) r += i; if (i == 18) r += i; if (i == 19) r += i; if (i == 20) r += i; if (i == 21) r += i; if (i == 22) r += i; if (i == 23) r += i; if (i == 24) r += i; if (i == 25) r += i; if (i == 26) r += i; // @b1
    if (i == 27) r += i; if (i == 28) r += i; if (i == 29) r += i; if (i == 30) r += i; if (i == 31) r += i; if (i == 32) r += i; if (i == 33) r += i; if (i == 34) r += i; if (i == 35) r += i; if (i == 36) r += i; // @b2
    if (i == 37) r += i; if (i == 38) r += i; if (i == 39) r += i; if (i == 40) r += i; if (i == 41) r += i; if (i == 42) r += i; if (i == 43) r += i; if (i == 44) r += i; if (i == 45) r += i; if (i == 46) r += i; // @b3
    if (i == 47) r += i; if (i == 48) r += i; if (i == 49) r += i; if (i == 50) r += i; if (i == 51) r += i; if (i == 52) r += i; if (i == 53) r += i; if (i == 54) r += i; if (i == 55) r += i; if (i == 56) r += i; // @b4
    if (i == 57) r += i; if (i == 58) r += i; if (i == 59) r += i; if (i == 60) r += i; if (i == 61) r += i; if (i == 62) r += i; if (i == 63) r += i; if (i == 64) r += i; if (i == 65) r += i; if (i == 66) r += i; // @b5
    if (i == 67) r += i; if (i == 68) r += i; if (i == 69) r += i; if (i == 70) r += i; if (i == 71) r += i; if (i == 72) r += i; if (i == 73) r += i; if (i == 74) r += i; if (i == 75) r += i; if (i == 76) r += i; // @b6
    if (i == 77) r += i; if (i == 78) r += i; if (i == 79) r += i; if (i == 80) r += i; if (i == 81) r += i; if (i == 82) r += i; if (i == 83) r += i; if (i == 84) r += i; if (i == 85) r += i; if (i == 86) r += i; // @b7
    if (i == 87) r += i; if (i == 88) r += i; if (i == 89) r += i; if (i == 90) r += i; if (i == 91) r += i; if (i == 92) r += i; if (i == 93) r += i; if (i == 94) r += i; if (i == 95) r += i; if (i == 96) r += i; // @b8
    if (i == 97) r += i; if (i == 98) r += i; if (i == 99) r += i; if (i == 100) r += i; if (i == 101) r += i; if (i == 102) r += i; if (i == 103) r += i; if (i == 104) r += i; if (i == 105) r += i; if (i == 106) r += i; // @b9
    if (i == 107) r += i; if (i == 108) r += i; if (i == 109) r += i; if (i == 110) r += i; if (i == 111) r += i; if (i == 112) r += i; if (i == 113) r += i; if (i == 114) r += i; if (i == 115) r += i; if (i == 116) r += i; // @b10
    if (i == 117) r += i; if (i == 118) r += i; if (i == 119) r += i; if (i == 120) r += i; if (i == 121) r += i; if (i == 122) r += i; if (i == 123) r += i; if (i == 124) r += i; if (i == 125) r += i; if (i == 126) r += i; // @b11
    if (i == 127) r += i; if (i == 128) r += i; if (i == 129) r += i; if (i == 130) r += i; if (i == 131) r += i; if (i == 132) r += i; if (i == 133) r += i; if (i == 134) r += i; if (i == 135) r += i; if (i == 136) r += i; // @b12
    if (i == 137) r += i; if (i == 138) r += i; if (i == 139) r += i; if (i == 140) r += i; if (i == 141) r += i; if (i == 142) r += i; if (i == 143) r += i; if (i == 144) r += i; if (i == 145) r += i; if (i == 146) r += i; // @b13
    if (i == 147) r += i; if (i == 148) r += i; if (i == 149) r += i; if (i == 150) r += i; if (i == 151) r += i; if (i == 152) r += i; if (i == 153) r += i; if (i == 154) r += i; if (i == 155) r += i; if (i == 156) r += i; // @b14
    if (i == 157) r += i; if (i == 158) r += i; if (i == 159) r += i; if (i == 160) r += i; if (i == 161) r += i; if (i == 162) r += i; if (i == 163) r += i; if (i == 164) r += i; if (i == 165) r += i; if (i == 166) r += i; // @b15
    if (i == 167) r += i; if (i == 168) r += i; if (i == 169) r += i; if (i == 170) r += i; if (i == 171) r += i; if (i == 172) r += i; if (i == 173) r += i; if (i == 174) r += i; if (i == 175) r += i; if (i == 176) r += i; // @b16
    if (i == 177) r += i; if (i == 178) r += i; if (i == 179) r += i; if (i == 180) r += i; if (i == 181) r += i; if (i == 182) r += i; if (i == 183) r += i; if (i == 184) r += i; if (i == 185) r += i; if (i == 186) r += i; // @b17
    if (i == 187) r += i; if (i == 188) r += i; if (i == 189) r += i; if (i == 190) r += i; if (i == 191) r += i; if (i == 192) r += i; if (i == 193) r += i; if (i == 194) r += i; if (i == 195) r += i; if (i == 196) r += i; // @b18
    if (i == 197) r += i; if (i == 198) r += i; if (i == 199) r += i; if (i == 200) r += i; if (i == 201) r += i; if (i == 202) r += i; if (i == 203) r += i; if (i == 204) r += i; if (i == 205) r += i; if (i == 206) r += i; // @b19
    if (i == 207) r += i; if (i == 208) r += i; if (i == 209) r += i; if (i == 210) r += i; if (i == 211) r += i; if (i == 212) r += i; if (i == 213) r += i; if (i == 214) r += i; if (i == 215) r += i; if (i == 216) r += i; // @b20
    if (i == 217) r += i; if (i == 218) r += i; if (i == 219) r += i; if (i == 220) r += i; if (i == 221) r += i; if (i == 222) r += i; if (i == 223) r += i; if (i == 224) r += i; if (i == 225) r += i; if (i == 226) r += i; // @b21
    if (i == 227) r += i; if (i == 228) r += i; if (i == 229) r += i; if (i == 230) r += i; if (i == 231) r += i; if (i == 232) r += i; if (i == 233) r += i; if (i == 234) r += i; if (i == 235) r += i; if (i == 236) r += i; // @b22
    if (i == 237) r += i; if (i == 238) r += i; if (i == 239) r += i; if (i == 240) r += i; if (i == 241) r += i; if (i == 242) r += i; if (i == 243) r += i; if (i == 244) r += i; if (i == 245) r += i; if (i == 246) r += i; // @b23
    if (i == 247) r += i; if (i == 248) r += i; if (i == 249) r += i; if (i == 250) r += i; if (i == 251) r += i; if (i == 252) r += i; if (i == 253) r += i; if (i == 254) r += i; if (i == 255) r += i; if (i == 256) r += i; // @b24
    if (i == 257) r += i; if (i == 258) r += i; if (i == 259) r += i; if (i == 260) r += i; if (i == 261) r += i; if (i == 262) r += i; if (i == 263) r += i; if (i == 264) r += i; if (i == 265) r += i; if (i == 266) r += i; // @b25
    if (i == 267) r += i; if (i == 268) r += i; if (i == 269) r += i; if (i == 270) r += i; if (i == 271) r += i; if (i == 272) r += i; if (i == 273) r += i; if (i == 274) r += i; if (i == 275) r += i; if (i == 276) r += i; // @b26
    if (i == 277) r += i; if (i == 278) r += i; if (i == 279) r += i; if (i == 280) r += i; if (i == 281) r += i; if (i == 282) r += i; if (i == 283) r += i; if (i == 284) r += i; if (i == 285) r += i; if (i == 286) r += i; // @b27
    if (i == 287) r += i; if (i == 288) r += i; if (i == 289) r += i; if (i == 290) r += i; if (i == 291) r += i; if (i == 292) r += i; if (i == 293) r += i; if (i == 294) r += i; if (i == 295) r += i; if (i == 296) r += i; // @b28
    if (i == 297) r += i; if (i == 298) r += i; if (i == 299) r += i; if (i == 300) r += i; if (i == 301) r += i; if (i == 302) r += i; if (i == 303) r += i; if (i == 304) r += i; if (i == 305) r += i; if (i == 306) r += i; // @b29
    if (i == 307) r += i; if (i == 308) r += i; if (i == 309) r += i; if (i == 310) r += i; if (i == 311) r += i; if (i == 312) r += i; if (i == 313) r += i; if (i == 314) r += i; if (i == 315) r += i; if (i == 316) r += i; // @b30
    if (i == 317) r += i; if (i == 318) r += i; if (i == 319) r += i; if (i == 320) r += i; if (i == 321) r += i; if (i == 322) r += i; if (i == 323) r += i; if (i == 324) r += i; if (i == 325) r += i; if (i == 326) r += i; // @b31
    if (i == 327) r += i; if (i == 328) r += i; if (i == 329) r += i; if (i == 330) r += i; if (i == 331) r += i; if (i == 332) r += i; if (i == 333) r += i; if (i == 334) r += i; if (i == 335) r += i; if (i == 336) r += i; // @b32
    if (i == 337) r += i; if (i == 338) r += i; if (i == 339) r += i; if (i == 340) r += i; if (i == 341) r += i; if (i == 342) r += i; if (i == 343) r += i; if (i == 344) r += i; if (i == 345) r += i; if (i == 346) r += i; // @b33
    if (i == 347) r += i; if (i == 348) r += i; if (i == 349) r += i; if (i == 350) r += i; if (i == 351) r += i; if (i == 352) r += i; if (i == 353) r += i; if (i == 354) r += i; if (i == 355) r += i; if (i == 356) r += i; // @b34
    if (i == 357) r += i; if (i == 358) r += i; if (i == 359) r += i; if (i == 360) r += i; if (i == 361) r += i; if (i == 362) r += i; if (i == 363) r += i; if (i == 364) r += i; if (i == 365) r += i; if (i == 366) r += i; // @b35
    if (i == 367) r += i; if (i == 368) r += i; if (i == 369) r += i; if (i == 370) r += i; if (i == 371) r += i; if (i == 372) r += i; if (i == 373) r += i; if (i == 374) r += i; if (i == 375) r += i; if (i == 376) r += i; // @b36
    if (i == 377) r += i; if (i == 378) r += i; if (i == 379) r += i; if (i == 380) r += i; if (i == 381) r += i; if (i == 382) r += i; if (i == 383) r += i; if (i == 384) r += i; if (i == 385) r += i; if (i == 386) r += i; // @b37
    if (i == 387) r += i; if (i == 388) r += i; if (i == 389) r += i; if (i == 390) r += i; if (i == 391) r += i; if (i == 392) r += i; if (i == 393) r += i; if (i == 394) r += i; if (i == 395) r += i; if (i == 396) r += i; // @b38
    if (i == 397) r += i; if (i == 398) r += i; if (i == 399) r += i; if (i == 400) r += i; if (i == 401) r += i; if (i == 402) r += i; if (i == 403) r += i; if (i == 404) r += i; if (i == 405) r += i; if (i == 406) r += i; // @b39
    if (i == 407) r += i; if (i == 408) r += i; if (i == 409) r += i; if (i == 410) r += i; if (i == 411) r += i; if (i == 412) r += i; if (i == 413) r += i; if (i == 414) r += i; if (i == 415) r += i; if (i == 416) r += i; // @b40
    if (i == 417) r += i; if (i == 418) r += i; if (i == 419) r += i; if (i == 420) r += i; if (i == 421) r += i; if (i == 422) r += i; if (i == 423) r += i; if (i == 424) r += i; if (i == 425) r += i; if (i == 426) r += i; // @b41
    return r;
  }

  public static void main(String[] args) {
    int rounds = Integer.parseInt(args[0]);
    long[] calls = new long[400];
    long sum = 0;
    for (int k = 0; k < rounds; k++) {
      sum += f(k % 400);
      calls[k % 400]++;
    }
    System.out.println("sum " + sum);
    Expect e = new Expect(Big.class);
    e.calls("f(I)I", rounds);
    for (int n = 0; n < IFS; n++) {
      long equal = FIRST + n < calls.length ? calls[FIRST + n] : 0;
      e.branch("b" + n / PER_LINE, n % PER_LINE, rounds - equal, equal); // if_icmpne
    }
    Expect.print();
  }
}
