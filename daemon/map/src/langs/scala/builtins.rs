//! Lists the names that belong to Scala unless a file says otherwise.

use crate::langs::semantics::BuiltinWords;

/// Scala's words for the resolution, which pins none of them to a definition by the name alone.
pub(crate) const BUILTINS: BuiltinWords =
    BuiltinWords { globals: GLOBALS, members: MEMBERS, member_prefix: None };

const GLOBALS: &str = "\
    Any AnyRef AnyVal App Array ArrayBuffer BigDecimal BigInt Boolean Byte Char CharSequence Class ClassTag \
    Comparable Double Either Enumeration Equals Exception Failure Float Function Function0 Function1 Function2 \
    Future IllegalArgumentException IllegalStateException IndexOutOfBoundsException IndexedSeq Int Integer \
    Iterable Iterator Left List Long Manifest Map Math Nil NoSuchElementException None NotImplementedError \
    Nothing Null NullPointerException NumberFormatException Numeric Object Option Ordered Ordering \
    PartialFunction Predef Product Product2 Range Right Runnable RuntimeException Seq Serializable Set Short \
    Some Stream String StringBuilder StringContext Success Symbol System Thread Throwable Traversable Try Tuple2 \
    Tuple3 TypeTag Unit UnsupportedOperationException Vector assert assertEquals assume augmentString classOf \
    deprecated ensuring identity implicitly inline locally main nowarn print printf println require specialized \
    summon switch tailrec throws transient unchecked uncheckedVariance valueOf volatile";

const MEMBERS: &str = "\
    _1 _2 _3 abs add addAll addOne addString andThen append apply asInstanceOf asJava asScala build builder \
    canEqual charAt clear close collect collectFirst combine compare compareTo compose concat contains copy \
    copyToArray count create data diff distinct drop dropRight dropWhile empty endsWith eq equals error exists \
    fail filter filterNot find flatMap flatten fold foldLeft foldRight forall foreach format get getBytes \
    getClass getMessage getName getOrElse groupBy grouped hasNext hash hashCode head headOption id indexOf \
    indexWhere indices init insert intersect isDefined isEmpty isInstanceOf isLeft isRight iterator join key \
    keySet keys last lastIndexOf lastOption length lift lines list load map mapValues max maxBy message min \
    minBy mkString name ne next nextInt nonEmpty of onComplete orElse orNull padTo parse partition path pop \
    print println productArity productElement productIterator push put range read recover reduce reduceLeft \
    remove replace replaceAll result reverse run scanLeft select set show size slice sliding sortBy sortWith \
    sorted span split splitAt start startsWith stop stripMargin stripPrefix stripSuffix substring sum \
    synchronized tail take takeRight takeWhile tap test text to toArray toByte toChar toDouble toFloat toInt \
    toIterator toList toLong toLowerCase toMap toRight toSeq toSet toString toUpperCase toVector trim type \
    unapply union unzip update updated value values view wait withFilter write zip zipWithIndex";
