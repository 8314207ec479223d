<?xml version="1.0" encoding="UTF-8"?>
<!-- Formats a page as a man page. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings"
                exclude-result-prefixes="str">
<xsl:import href="common.xsl"/>
<xsl:output method="text" encoding="UTF-8"/>

<!-- The project's version and release date, the page's name, and the names of the existing man pages. -->
<xsl:param name="version"/>
<xsl:param name="date"/>
<xsl:param name="page"/>

<xsl:variable name="capitals">ABCDEFGHIJKLMNOPQRSTUVWXYZ</xsl:variable>
<xsl:variable name="small">abcdefghijklmnopqrstuvwxyz</xsl:variable>

<!-- The whole page -->

<xsl:template match="/">
  <xsl:text>.\" Made of packaging/manual/</xsl:text>
  <xsl:value-of select="concat($page, '.xml.&#10;.TH ', translate($page, $small, $capitals), ' 8 &quot;', $date, '&quot; &quot;mod_useradmin ', $version)"/>
  <xsl:text>" "System Administration"&#10;.SH NAME&#10;</xsl:text>
  <xsl:value-of select="$page"/>
  <xsl:text> \- </xsl:text>
  <xsl:apply-templates select="*/description" mode="text"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:apply-templates select="*"/>
</xsl:template>

<xsl:template match="manualpage">
  <xsl:apply-templates select="synopsis"/>
  <xsl:text>.SH DESCRIPTION&#10;</xsl:text>
  <xsl:apply-templates select="summary/*"/>
  <xsl:apply-templates select="*[not(self::title or self::description or self::synopsis or self::summary or self::section or self::seealso)]"/>
  <xsl:apply-templates select="section"/>
  <xsl:call-template name="see-also"/>
</xsl:template>

<xsl:template match="manualpage/synopsis">
  <xsl:text>.SH SYNOPSIS&#10;</xsl:text>
  <xsl:for-each select="form">
    <xsl:if test="position() &gt; 1">.br&#10;</xsl:if>
    <xsl:apply-templates select="."/>
    <xsl:text>&#10;</xsl:text>
  </xsl:for-each>
</xsl:template>

<xsl:template match="modulesynopsis">
  <xsl:text>.SH SYNOPSIS&#10;.B LoadModule&#10;</xsl:text>
  <xsl:value-of select="concat('.I ', identifier, ' modules/', name, '.so&#10;')"/>
  <xsl:text>.SH DESCRIPTION&#10;</xsl:text>
  <xsl:apply-templates select="summary/*"/>
  <xsl:text>.SH COMPATIBILITY&#10;</xsl:text>
  <xsl:apply-templates select="compatibility" mode="text"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:apply-templates select="section"/>
  <xsl:text>.SH DIRECTIVES&#10;</xsl:text>
  <xsl:apply-templates select="directivesynopsis[not(@location)]"><xsl:sort select="name"/></xsl:apply-templates>
  <xsl:if test="directivesynopsis/@location">
    <xsl:text>.SS Directives of both modules&#10;One line serves both. They are in&#10;</xsl:text>
    <xsl:value-of select="concat('.BR ', directivesynopsis[@location][1]/@location, ' (8):&#10;')"/>
    <xsl:for-each select="directivesynopsis[@location]">
      <xsl:sort select="name"/>
      <xsl:value-of select="concat('.BR ', name)"/>
      <xsl:choose>
        <xsl:when test="position() = last()"> .&#10;</xsl:when>
        <xsl:otherwise> ,&#10;</xsl:otherwise>
      </xsl:choose>
    </xsl:for-each>
  </xsl:if>
  <xsl:call-template name="see-also"/>
</xsl:template>

<xsl:template match="directivesynopsis">
  <xsl:value-of select="concat('.SS ', name, '&#10;')"/>
  <xsl:call-template name="paragraph"><xsl:with-param name="of" select="description"/></xsl:call-template>
  <xsl:text>.PP&#10;</xsl:text>
  <xsl:for-each select="syntax">
    <xsl:if test="position() &gt; 1">.br&#10;</xsl:if>
    <xsl:text>Syntax: </xsl:text><xsl:apply-templates select="." mode="literal"/><xsl:text>&#10;</xsl:text>
  </xsl:for-each>
  <xsl:if test="default"><xsl:text>.br&#10;Default: </xsl:text><xsl:apply-templates select="default" mode="literal"/><xsl:text>&#10;</xsl:text></xsl:if>
  <xsl:text>.br&#10;Context: </xsl:text><xsl:apply-templates select="contextlist"/>
  <xsl:text>&#10;.br&#10;Compatibility: </xsl:text><xsl:apply-templates select="compatibility" mode="text"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:apply-templates select="usage/*"/>
</xsl:template>

<xsl:template name="see-also">
  <xsl:text>.SH SEE ALSO&#10;</xsl:text>
  <xsl:for-each select="document('../index.xml')//page[@man and . != $page]">
    <xsl:value-of select="concat('.BR ', ., ' (8),&#10;')"/>
  </xsl:for-each>
  <xsl:text>.BR apachectl (8)&#10;.PP&#10;The whole manual is there as HTML pages too: the directory&#10;.I manual&#10;beside the package's other documentation, on Debian&#10;.IR /usr/share/doc/libapache2\-mod\-useradmin/manual .&#10;</xsl:text>
</xsl:template>

<!-- Blocks -->

<xsl:template match="manualpage/section | modulesynopsis/section">
  <xsl:text>.SH </xsl:text>
  <xsl:value-of select="translate(title, $small, $capitals)"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:apply-templates select="*[not(self::title)]"/>
</xsl:template>
<xsl:template match="section">
  <xsl:text>.SS </xsl:text>
  <xsl:apply-templates select="title" mode="text"/>
  <xsl:text>&#10;</xsl:text>
  <xsl:apply-templates select="*[not(self::title)]"/>
</xsl:template>

<!-- A line of text. A leading dot or apostrophe would be a request. -->
<xsl:template name="paragraph">
  <xsl:param name="of" select="."/>
  <xsl:variable name="text"><xsl:apply-templates select="$of" mode="text"/></xsl:variable>
  <xsl:if test="starts-with($text, '.') or starts-with($text, &quot;'&quot;)">\&amp;</xsl:if>
  <xsl:value-of select="$text"/>
  <xsl:text>&#10;</xsl:text>
</xsl:template>
<xsl:template match="*" mode="text">
  <xsl:variable name="text"><xsl:apply-templates mode="line"/></xsl:variable>
  <xsl:value-of select="normalize-space($text)"/>
</xsl:template>

<xsl:template match="p">
  <!-- Not after a heading, where man inserts the space. -->
  <xsl:if test="preceding-sibling::*[not(self::title or self::description or self::synopsis)] or ancestor::usage">.PP&#10;</xsl:if>
  <xsl:call-template name="paragraph"/>
</xsl:template>

<xsl:template match="note"><xsl:apply-templates/></xsl:template>
<xsl:template match="note/text()"/>
<xsl:template match="note/p"><xsl:text>.PP&#10;</xsl:text><xsl:call-template name="paragraph"/></xsl:template>

<xsl:template match="ul | ol"><xsl:apply-templates select="li"/><xsl:call-template name="end-of-list"/></xsl:template>
<xsl:template match="li">
  <xsl:choose>
    <xsl:when test="parent::ol">.IP <xsl:value-of select="position()"/>. 4&#10;</xsl:when>
    <xsl:otherwise>.IP \(bu 2&#10;</xsl:otherwise>
  </xsl:choose>
  <xsl:call-template name="item"/>
</xsl:template>

<xsl:template match="dl"><xsl:apply-templates select="dt | dd"/><xsl:call-template name="end-of-list"/></xsl:template>
<xsl:template match="dt">
  <xsl:text>.TP&#10;</xsl:text>
  <xsl:call-template name="paragraph"/>
</xsl:template>
<xsl:template match="dd"><xsl:call-template name="item"/></xsl:template>

<!-- A row: the first cell, followed by the others. -->
<xsl:template match="table"><xsl:apply-templates select="tr[td]"/><xsl:call-template name="end-of-list"/></xsl:template>
<xsl:template match="tr">
  <xsl:text>.TP&#10;</xsl:text>
  <xsl:call-template name="paragraph"><xsl:with-param name="of" select="td[1]"/></xsl:call-template>
  <xsl:for-each select="td[position() &gt; 1]">
    <xsl:call-template name="paragraph"/>
  </xsl:for-each>
</xsl:template>

<!-- An item contains text or blocks. -->
<xsl:template name="item">
  <xsl:choose>
    <xsl:when test="p">
      <xsl:for-each select="*">
        <xsl:choose>
          <xsl:when test="self::p"><xsl:if test="position() &gt; 1">.IP&#10;</xsl:if><xsl:call-template name="paragraph"/></xsl:when>
          <xsl:otherwise><xsl:apply-templates select="."/></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
    </xsl:when>
    <xsl:otherwise><xsl:call-template name="paragraph"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>
<!-- Text after a list starts a new paragraph, unless it is an example. -->
<xsl:template name="end-of-list"/>

<xsl:template match="highlight">
  <xsl:text>.PP&#10;.in +4n&#10;.EX&#10;</xsl:text>
  <!-- str:split() drops empty parts, so put a space into empty lines. -->
  <xsl:for-each select="str:split(str:replace(substring(., 2, string-length(.) - 2), '&#10;&#10;', '&#10; &#10;'), '&#10;')">
    <xsl:if test="starts-with(., '.') or starts-with(., &quot;'&quot;)">\&amp;</xsl:if>
    <xsl:call-template name="literal"><xsl:with-param name="text"><xsl:if test=". != ' '"><xsl:value-of select="."/></xsl:if></xsl:with-param></xsl:call-template>
    <xsl:text>&#10;</xsl:text>
  </xsl:for-each>
  <xsl:text>.EE&#10;.in&#10;</xsl:text>
</xsl:template>

<!-- In a line -->

<xsl:template match="text()" mode="line"><xsl:value-of select="str:replace(string(.), '\', '\e')"/></xsl:template>

<!-- Literal text: hyphens are minus signs, not hyphens. -->
<xsl:template name="literal">
  <xsl:param name="text"/>
  <xsl:value-of select="str:replace(str:replace($text, '\', '\e'), '-', '\-')"/>
</xsl:template>
<xsl:template match="*" mode="literal"><xsl:apply-templates mode="literal"/></xsl:template>
<xsl:template match="var" mode="literal">\fI<xsl:apply-templates mode="literal"/>\fP</xsl:template>
<xsl:template match="text()" mode="literal">
  <xsl:call-template name="literal"><xsl:with-param name="text" select="string(.)"/></xsl:call-template>
</xsl:template>

<xsl:template match="code | directive | module | program" mode="line">\fB<xsl:call-template name="literal"><xsl:with-param name="text" select="normalize-space(.)"/></xsl:call-template>\fP</xsl:template>
<xsl:template match="em | var" mode="line">\fI<xsl:apply-templates mode="line"/>\fP</xsl:template>
<xsl:template match="strong" mode="line">\fB<xsl:apply-templates mode="line"/>\fP</xsl:template>
<xsl:template match="br" mode="line"><xsl:text> </xsl:text></xsl:template>

<!-- The target follows the link: a URL, another man page, or a page that exists only as HTML. -->
<xsl:template match="a" mode="line">
  <xsl:variable name="target" select="substring-before(@href, '.html')"/>
  <xsl:apply-templates mode="line"/>
  <xsl:choose>
    <xsl:when test="starts-with(@href, '#')"/>
    <xsl:when test="document('../index.xml')//page[@man and . = $target]"> (\fB<xsl:value-of select="$target"/>\fP(8))</xsl:when>
    <xsl:when test="starts-with(@href, 'http')"> (<xsl:call-template name="literal"><xsl:with-param name="text" select="string(@href)"/></xsl:call-template>)</xsl:when>
    <xsl:otherwise> (<xsl:call-template name="literal"><xsl:with-param name="text" select="concat($target, '.html')"/></xsl:call-template>)</xsl:otherwise>
  </xsl:choose>
</xsl:template>

<!-- Words in capitals are placeholders. -->
<xsl:template match="form" mode="line"><xsl:apply-templates select="."/></xsl:template>
<xsl:template match="form">
  <xsl:for-each select="str:split(normalize-space(.), ' ')">
    <xsl:if test="position() &gt; 1"><xsl:text> </xsl:text></xsl:if>
    <xsl:variable name="word" select="translate(., '[]', '')"/>
    <xsl:if test="starts-with(., '[')">[</xsl:if>
    <xsl:choose>
      <xsl:when test="translate($word, $small, '') = $word">\fI</xsl:when>
      <xsl:otherwise>\fB</xsl:otherwise>
    </xsl:choose>
    <xsl:call-template name="literal"><xsl:with-param name="text" select="$word"/></xsl:call-template>
    <xsl:text>\fP</xsl:text>
    <xsl:if test="contains(., ']')">]</xsl:if>
  </xsl:for-each>
</xsl:template>

<xsl:template match="*" mode="line" priority="-1">
  <xsl:message terminate="yes">A page for man(1) has no element &lt;<xsl:value-of select="name()"/>&gt; in a line.</xsl:message>
</xsl:template>

</xsl:stylesheet>
