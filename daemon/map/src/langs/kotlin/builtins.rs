//! Lists the names that belong to Kotlin unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Kotlin's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
    Any Array ArrayDeque ArrayList AssertionError Boolean BooleanArray Byte ByteArray Char CharArray \
    CharSequence Class Collection Comparable Comparator Deprecated Double DoubleArray Enum Error Exception Float \
    FloatArray Function HashMap HashSet IllegalArgumentException IllegalStateException IndexOutOfBoundsException \
    Int IntArray IntRange Iterable Iterator JvmField JvmName JvmOverloads JvmStatic KClass KProperty KType Lazy \
    LinkedHashMap LinkedHashSet List Long LongArray Map MutableCollection MutableIterator MutableList MutableMap \
    MutableSet NoSuchElementException Nothing NullPointerException Number NumberFormatException Object OptIn \
    Pair PublishedApi Regex ReplaceWith Result RuntimeException Sequence Set Short ShortArray String \
    StringBuilder Suppress System TODO Thread Throwable Throws Triple UByte UInt ULong UShort Unit \
    UnsupportedOperationException also apply arrayOf arrayOfNulls assert buildList buildMap buildSet buildString \
    byteArrayOf check checkNotNull emptyArray emptyList emptyMap emptySet enumValueOf enumValues error \
    generateSequence hashMapOf hashSetOf intArrayOf lazy lazyOf let linkedMapOf listOf listOfNotNull longArrayOf \
    mapOf maxOf minOf mutableListOf mutableMapOf mutableSetOf print println repeat require requireNotNull run \
    runCatching sequence sequenceOf setOf sortedMapOf synchronized takeIf takeUnless to use with";

const MEMBERS: &str = "\
    add addAll all also and any append apply associate associateBy average clear close collect compareTo \
    component1 component2 contains containsKey copy copyOf count create data distinct drop dropLast elementAt \
    emit empty endsWith entries equals error execute exists fill filter filterIsInstance filterNot filterNotNull \
    find first firstOrNull flatMap flatten fold forEach forEachIndexed format get getOrDefault getOrElse \
    getOrNull getOrPut getValue groupBy hasNext hashCode id indexOf indices info insert intersect invoke isEmpty \
    isNotEmpty isNullOrEmpty iterator joinToString key keys last lastIndex lastOrNull launch length let lines \
    list lock lowercase map mapIndexed mapNotNull mapOf max maxBy message min minus minusAssign name next none \
    of open or ordinal parse partition path plus plusAssign pop print println push put putAll read reduce remove \
    removeAll repeat replace reset reverse reversed run set setOf setValue shuffle shuffled single size slice \
    sort sortBy sorted sortedBy split start startsWith stop sub subList substring sum sumOf take takeIf test \
    text times to toByteArray toChar toDouble toInt toList toLong toMap toMutableList toSet toString \
    toTypedArray trim trimIndent type unlock until update uppercase use value values wait warn windowed \
    withIndex write zip";
